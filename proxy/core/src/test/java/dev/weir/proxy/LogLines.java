package dev.weir.proxy;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is logged from its making to its end, each line as its level and its message. Standard error
 * goes on; of several at one time the last made is the first to be closed.
 */
public final class LogLines implements AutoCloseable {
  private static final Pattern LINE = Pattern.compile("\\S+Z (\\S+) +[^ :]+: (.*)", Pattern.DOTALL);

  /** Where one ends and the next begins: a message may have lines of its own. */
  private static final Pattern BETWEEN = Pattern.compile("\n(?=\\d{4}-\\d\\d-\\d\\dT)|\n\\z");

  private final PrintStream before = System.err;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  public LogLines() {
    OutputStream both =
        new OutputStream() {
          @Override
          public void write(int b) {
            written.write(b);
            before.write(b);
          }

          @Override
          public void write(byte[] bytes, int offset, int length) {
            written.write(bytes, offset, length);
            before.write(bytes, offset, length);
          }

          @Override
          public void flush() {
            before.flush();
          }
        };
    System.setErr(new PrintStream(both, true, StandardCharsets.UTF_8));
  }

  private List<String> lines() {
    return BETWEEN
        .splitAsStream(written.toString(StandardCharsets.UTF_8))
        .map(LINE::matcher)
        .filter(Matcher::matches)
        .map(line -> line.group(1) + " " + line.group(2))
        .toList();
  }

  /** The lines that contain all of these texts. */
  public List<String> with(String... texts) {
    return lines().stream()
        .filter(line -> List.of(texts).stream().allMatch(line::contains))
        .toList();
  }

  @Override
  public void close() {
    System.setErr(before);
  }

  @Override
  public String toString() {
    return String.join("\n", lines());
  }
}
