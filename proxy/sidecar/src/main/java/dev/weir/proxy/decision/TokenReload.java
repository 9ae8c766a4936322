package dev.weir.proxy.decision;

import dev.weir.proxy.decision.http.Tokens;
import dev.weir.proxy.watch.FileFollower;
import dev.weir.proxy.watch.Reloads;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the file of tokens, and follows it: a removed token is rejected within seconds. While the
 * file has faults, or is gone, the last good tokens stay.
 */
public final class TokenReload implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TokenReload.class);

  private final TokenFile file;
  private final Tokens tokens;
  private final Reloads reloads = new Reloads();

  /** Null if there is no file. */
  private final FileFollower<Reading> follower;

  /**
   * One reading of the file.
   *
   * @param content null if it could not be read.
   * @param fault why not.
   */
  private record Reading(byte[] content, String fault) {
    static Reading of(TokenFile file) {
      try {
        return new Reading(file.content(), null);
      } catch (IOException unreadable) {
        return new Reading(null, unreadable.getMessage());
      }
    }

    boolean isSame(Reading other) {
      return Arrays.equals(content, other.content) && Objects.equals(fault, other.fault);
    }
  }

  /**
   * Reads the file for the first time.
   *
   * @throws IOException if it cannot be used; its message never contains a token.
   */
  public TokenReload(DecisionSettings settings) throws IOException {
    if (settings.tokens() == null) {
      file = null;
      follower = null;
      tokens = Tokens.NONE;
      return;
    }
    file = new TokenFile(settings.tokens());
    Reading read = new Reading(file.content(), null);
    tokens = new Tokens(file.tokens(read.content()), settings.tokensForAll());
    follower =
        new FileFollower<>(
            () -> Reading.of(file), Reading::isSame, this::take, reloads, read, read);
  }

  /** The tokens in use, also after a reload. */
  public Tokens tokens() {
    return tokens;
  }

  /** Whether there is a file. */
  public boolean hasFile() {
    return file != null;
  }

  /** Follows the file from now on. */
  public void start() {
    if (hasFile()) {
      follower.start("weir-tokens", "decision: tokens not reloaded");
    }
  }

  /** Reads the file once; takes a new content that was read twice in a row. */
  void poll() {
    follower.poll();
  }

  /** Reads the file now, changed or not: for SIGHUP. Any thread. */
  public void reload() {
    if (hasFile()) {
      follower.reload();
    }
  }

  private void take(Reading read) {
    try {
      if (read.content() == null) {
        throw new IOException(read.fault());
      }
      List<String> now = file.tokens(read.content());
      tokens.replace(now);
      String count = now.size() == 1 ? "1 token" : now.size() + " tokens";
      LOG.info("decision: {} from {}{}", count, file.path(), reloads.taken());
    } catch (IOException fault) {
      reloads.rejected();
      LOG.error("decision: tokens not reloaded, the last good ones stay: {}", fault.getMessage());
    }
  }

  /** How often the file was reloaded, and whether its last content is in use. */
  public Reloads reloads() {
    return reloads;
  }

  /** Stops following. */
  @Override
  public void close() {
    if (hasFile()) {
      follower.close();
    }
  }
}
