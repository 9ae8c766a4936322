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
      compose(
          "check",
          "numbers.lua",
          "clock.lua",
          "paced.lua",
          "windows.lua",
          "calendar.lua",
          "logs.lua",
          "argument.lua",
          "states.lua",
          "decide.lua",
          "once.lua",
          "check.lua");

  /** Counts the sidecars that share a store; see {@code peers.lua}. */
  public static final LuaScript PEERS = compose("peers", "peers.lua");

  private final String name;
  private final byte[] source;
  private final String sha1;

  LuaScript(String name, byte[] source) {
    this.name = name;
    this.source = source;
    try {
      sha1 = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(source));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-1", e);
    }
  }

  private static LuaScript compose(String name, String... files) {
    StringBuilder source = new StringBuilder();
    for (String file : files) {
      source.append(read(file));
    }
    return new LuaScript(name, source.toString().getBytes(StandardCharsets.UTF_8));
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
