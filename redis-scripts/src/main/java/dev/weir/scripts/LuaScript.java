package dev.weir.scripts;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script as it is shipped: files of the class path under {@code lua/}, one after the other.
 * Immutable; any thread.
 */
public final class LuaScript {
  /**
   * Decides a whole batch of checks; see {@code check.lua}, {@link CheckCall}, {@link CheckReply}.
   */
  public static final LuaScript CHECK =
      new LuaScript(
          "check",
          files("check.lua", "clock.lua", "short_way.lua", "numbers.lua")
              + lazily("make_paced", files("paced.lua"))
              + lazily("make_fixed_window", files("fixed_window.lua"))
              + lazily("make_sliding_counter", files("sliding_counter.lua"))
              + lazily("make_calendar_window", files("calendar_window.lua"))
              + lazily("make_runs", files("runs.lua"))
              + lazily("make_sliding_log", files("sliding_log.lua"))
              + lazily("make_bucket_ring", files("bucket_ring.lua"))
              + lazily("make_concurrency", files("concurrency.lua"))
              + files("kinds.lua", "argument.lua", "states.lua", "decide.lua", "once.lua")
              + lazily("make_lease", files("lease.lua"))
              + lazily("make_hold", files("hold.lua"))
              + files("ops.lua"));

  /** Counts the sidecars that share a store, and follows records; see {@code beat.lua}. */
  public static final LuaScript BEAT = new LuaScript("beat", files("beat.lua"));

  /** Exchanges the bans of sidecars that share a store; see {@code bans.lua}. */
  public static final LuaScript BANS = new LuaScript("bans", files("bans.lua"));

  /** Writes rules, the log of changes and the audit; see {@code write.lua}. */
  public static final LuaScript WRITE = new LuaScript("write", files("write.lua"));

  /** Writes the record of a user; see {@code user.lua}. */
  public static final LuaScript USER = new LuaScript("user", files("user.lua"));

  private final String name;
  private final byte[] source;
  private final String sha1;

  private LuaScript(String name, String text) {
    this.name = name;
    source = text.getBytes(StandardCharsets.UTF_8);
    try {
      sha1 = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(source));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-1", e);
    }
  }

  private static String files(String... files) {
    final StringBuilder text = new StringBuilder();
    for (String file : files) {
      text.append(read(file));
    }
    return text.toString();
  }

  /**
   * Source as a function without arguments, which makes what the source defines. A script's body
   * runs anew in each call, and makes each function anew that it comes to.
   */
  private static String lazily(String function, String source) {
    return "local function " + function + "()\n" + source + "end\n";
  }

  static String read(String file) {
    try (InputStream in = LuaScript.class.getResourceAsStream("/lua/" + file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String name() {
    return name;
  }

  /** A copy of the bytes for {@code SCRIPT LOAD} and {@code EVAL}, UTF-8. */
  public byte[] source() {
    return source.clone();
  }

  /** The digest for {@code EVALSHA}: 40 hexadecimal digits of lower case. */
  public String sha1() {
    return sha1;
  }
}
