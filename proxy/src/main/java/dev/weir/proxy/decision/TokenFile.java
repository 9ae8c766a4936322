package dev.weir.proxy.decision;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A file of tokens: one a line; lines that are empty or begin with {@code #} are none. */
public final class TokenFile {
  private static final int LEAST_CHARS = 16;
  private static final int MOST_TOKENS = 100;

  private TokenFile() {}

  /**
   * Reads the tokens.
   *
   * @throws IOException if there is a line that is none, or no token at all; its message says
   *     which, and never what it holds.
   */
  public static Tokens read(DecisionSettings settings) throws IOException {
    Path file = settings.tokens();
    if (file == null) {
      return Tokens.NONE;
    }
    List<String> tokens = new ArrayList<>();
    List<String> lines = lines(file);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (line.length() < LEAST_CHARS || !line.matches("[!-~]+")) {
        throw new IOException(
            "decision-tokens: "
                + file
                + ":"
                + (i + 1)
                + ": not a token (expected: "
                + LEAST_CHARS
                + " or more characters of ASCII without blanks)");
      }
      tokens.add(line);
    }
    if (tokens.isEmpty() || tokens.size() > MOST_TOKENS) {
      throw new IOException(
          "decision-tokens: "
              + file
              + ": "
              + tokens.size()
              + " tokens (expected: 1 to "
              + MOST_TOKENS
              + ", one a line)");
    }
    return new Tokens(tokens, settings.tokensForAll());
  }

  private static List<String> lines(Path file) throws IOException {
    try {
      return Files.readAllLines(file, StandardCharsets.UTF_8);
    } catch (NoSuchFileException gone) {
      throw new IOException("decision-tokens: " + file + ": not found", gone);
    } catch (MalformedInputException binary) {
      throw new IOException("decision-tokens: " + file + ": not UTF-8", binary);
    } catch (IOException failed) {
      throw new IOException(
          "decision-tokens: " + file + ": cannot be read: " + failed.getMessage(), failed);
    }
  }
}
