package dev.weir.proxy.decision;

import dev.weir.proxy.decision.http.Tokens;
import dev.weir.proxy.watch.FollowedFile;
import dev.weir.proxy.watch.Reloads;
import dev.weir.proxy.watch.SmallFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the file of tokens, one a line, and follows it: a removed token is rejected within seconds.
 * Empty lines and comments ({@code #}) are no tokens. A fault never contains a token.
 */
public final class TokenReload implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TokenReload.class);

  private static final FollowedFile.Kind KIND =
      new FollowedFile.Kind(
          LOG, "decision-tokens", "decision", "token", "weir-tokens", SmallFile.MAX_BYTES);

  private static final int LEAST_CHARS = 16;
  private static final int MOST_TOKENS = 100;

  private final Reloads reloads = new Reloads();

  /** Null if there is none. */
  private final FollowedFile file;

  private Tokens tokens = Tokens.NONE;

  /**
   * Reads the file for the first time.
   *
   * @throws IOException if it cannot be used; its message never contains a token.
   */
  public TokenReload(DecisionSettings settings) throws IOException {
    file =
        settings.tokens() == null
            ? null
            : new FollowedFile(
                settings.tokens(), KIND, reloads, content -> use(content, settings.tokensForAll()));
  }

  private int use(byte[] content, boolean areForAll) throws IOException {
    List<String> texts = texts(content);
    if (tokens == Tokens.NONE) {
      tokens = new Tokens(texts, areForAll);
    } else {
      tokens.replace(texts);
    }
    return texts.size();
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
      file.start();
    }
  }

  /** Reads the file once; takes a new content that was read twice in a row. */
  void poll() {
    file.poll();
  }

  /** Reads the file now, changed or not: for SIGHUP. Any thread. */
  public void reload() {
    if (hasFile()) {
      file.reload();
    }
  }

  private static List<String> texts(byte[] content) throws IOException {
    List<String> texts = new ArrayList<>();
    List<String> lines = lines(content);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (line.length() < LEAST_CHARS || !line.matches("[!-~]+")) {
        String expected = LEAST_CHARS + " or more characters of ASCII without blanks";
        throw new IOException(":" + (i + 1) + ": not a token (expected: " + expected + ")");
      }
      texts.add(line);
    }
    if (texts.isEmpty() || texts.size() > MOST_TOKENS) {
      throw new IOException(
          ": " + texts.size() + " tokens (expected: 1 to " + MOST_TOKENS + ", one a line)");
    }
    return texts;
  }

  private static List<String> lines(byte[] content) throws IOException {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString().lines().toList();
    } catch (CharacterCodingException binary) {
      throw new IOException(": not UTF-8");
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
      file.close();
    }
  }
}
