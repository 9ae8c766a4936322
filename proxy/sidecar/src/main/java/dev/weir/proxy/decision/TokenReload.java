package dev.weir.proxy.decision;

import dev.weir.proxy.decision.http.Tokens;
import dev.weir.proxy.watch.FileFollower;
import dev.weir.proxy.watch.Reloads;
import dev.weir.proxy.watch.SmallFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the file of tokens, one a line, and follows it: a removed token is rejected within seconds.
 * While the file has faults, or is gone, the last good tokens stay. Empty lines and comments
 * ({@code #}) are no tokens. A fault never contains a token.
 */
public final class TokenReload implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TokenReload.class);

  private static final int LEAST_CHARS = 16;
  private static final int MOST_TOKENS = 100;

  /** Null if there is no file. */
  private final Path file;

  private final Tokens tokens;
  private final Reloads reloads = new Reloads();

  private final FileFollower<Reading> follower;

  /**
   * One reading of the file.
   *
   * @param content null if it could not be read.
   * @param fault why not.
   */
  private record Reading(byte[] content, String fault) {
    static Reading of(Path file) {
      try {
        return new Reading(SmallFile.read(file, "a file"), null);
      } catch (IOException unreadable) {
        return new Reading(null, ": " + unreadable.getMessage());
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
    file = settings.tokens();
    if (file == null) {
      follower = null;
      tokens = Tokens.NONE;
      return;
    }
    Reading read = Reading.of(file);
    tokens = new Tokens(texts(read), settings.tokensForAll());
    follower =
        new FileFollower<>(
            () -> Reading.of(file), Reading::isSame, this::take, reloads, read, read);
  }

  /** The tokens in use, also after a reload. */
  public Tokens tokens() {
    return tokens;
  }

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
      List<String> now = texts(read);
      tokens.replace(now);
      String count = now.size() == 1 ? "1 token" : now.size() + " tokens";
      LOG.info("decision: {} from {}{}", count, file, reloads.taken());
    } catch (IOException fault) {
      reloads.rejected();
      LOG.error("decision: tokens not reloaded, the last good ones stay: {}", fault.getMessage());
    }
  }

  /** The tokens of what the file holds. */
  private List<String> texts(Reading read) throws IOException {
    if (read.content() == null) {
      throw fault(read.fault());
    }
    List<String> texts = new ArrayList<>();
    List<String> lines = lines(read.content());
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (line.length() < LEAST_CHARS || !line.matches("[!-~]+")) {
        String expected = LEAST_CHARS + " or more characters of ASCII without blanks";
        throw fault(":" + (i + 1) + ": not a token (expected: " + expected + ")");
      }
      texts.add(line);
    }
    if (texts.isEmpty() || texts.size() > MOST_TOKENS) {
      throw fault(": " + texts.size() + " tokens (expected: 1 to " + MOST_TOKENS + ", one a line)");
    }
    return texts;
  }

  private List<String> lines(byte[] content) throws IOException {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString().lines().toList();
    } catch (CharacterCodingException binary) {
      throw fault(": not UTF-8");
    }
  }

  private IOException fault(String problem) {
    return new IOException("decision-tokens: " + file + problem);
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
