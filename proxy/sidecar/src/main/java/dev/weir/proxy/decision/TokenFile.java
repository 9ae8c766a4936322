package dev.weir.proxy.decision;

import dev.weir.proxy.watch.SmallFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A file of tokens, one a line, without empty lines and comments ({@code #}). An {@link
 * IOException} says what is wrong with it, and never contains a token.
 */
record TokenFile(Path path) {
  private static final int LEAST_CHARS = 16;
  private static final int MOST_TOKENS = 100;

  /** The whole file. */
  byte[] content() throws IOException {
    try {
      return SmallFile.read(path, "a file");
    } catch (IOException unreadable) {
      throw fault(": " + unreadable.getMessage());
    }
  }

  /** The tokens in the file's content. */
  List<String> tokens(byte[] content) throws IOException {
    List<String> tokens = new ArrayList<>();
    List<String> lines = lines(content);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (line.length() < LEAST_CHARS || !line.matches("[!-~]+")) {
        throw fault(
            ":"
                + (i + 1)
                + ": not a token (expected: "
                + LEAST_CHARS
                + " or more characters of ASCII without blanks)");
      }
      tokens.add(line);
    }
    if (tokens.isEmpty() || tokens.size() > MOST_TOKENS) {
      throw fault(
          ": " + tokens.size() + " tokens (expected: 1 to " + MOST_TOKENS + ", one a line)");
    }
    return tokens;
  }

  private List<String> lines(byte[] content) throws IOException {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(content))
          .toString()
          .lines()
          .toList();
    } catch (CharacterCodingException binary) {
      throw fault(": not UTF-8");
    }
  }

  private IOException fault(String problem) {
    return new IOException("decision-tokens: " + path + problem);
  }
}
