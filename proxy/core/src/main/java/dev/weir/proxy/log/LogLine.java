package dev.weir.proxy.log;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.slf4j.event.Level;

/**
 * One event as text, its line end included: time in UTC, level, the simple name of the logger,
 * message, and below them what was thrown.
 *
 * <pre>
 * 2026-01-02T03:04:05.006Z WARN  Store: redis: not connected yet
 * </pre>
 *
 * <p>Texts may be of clients and of servers, so none of them can look like an event of its own, or
 * steer a terminal: lines behind the first are indented, and control characters are escaped.
 */
final class LogLine {
  /** How many frames of a stack are shown, of each of its causes too. */
  static final int MAX_FRAMES = 20;

  /** Longer chains of causes are cut: they may be circles. */
  static final int MAX_CAUSES = 10;

  private static final int LEVEL_WIDTH = 5;
  private static final String INDENT = "  ";

  private final StringBuilder out = new StringBuilder(160);

  private LogLine() {}

  /**
   * Makes a line.
   *
   * @param epochMs milliseconds since 1970.
   * @param logger a class's name as a rule, of which the last part is shown.
   * @param thrown null for nothing.
   */
  static String of(long epochMs, Level level, String logger, String message, Throwable thrown) {
    LogLine line = new LogLine();
    line.time(epochMs);
    String word = level.toString();
    line.out.append(' ').append(word).append(" ".repeat(LEVEL_WIDTH - word.length()));
    line.out.append(' ').append(logger, logger.lastIndexOf('.') + 1, logger.length());
    line.out.append(": ");
    line.text(message);
    line.thrown(thrown);
    return line.out.toString();
  }

  /** Writes a time in ISO 8601 by hand, as a formatter would load many more classes. */
  private void time(long epochMs) {
    int ms = (int) Math.floorMod(epochMs, 1000L);
    LocalDateTime time =
        LocalDateTime.ofEpochSecond(Math.floorDiv(epochMs, 1000L), 0, ZoneOffset.UTC);
    digits(time.getYear(), 4).append('-');
    digits(time.getMonthValue(), 2).append('-');
    digits(time.getDayOfMonth(), 2).append('T');
    digits(time.getHour(), 2).append(':');
    digits(time.getMinute(), 2).append(':');
    digits(time.getSecond(), 2).append('.');
    digits(ms, 3).append('Z');
  }

  private StringBuilder digits(int number, int width) {
    String text = Integer.toString(number);
    return out.append("0".repeat(Math.max(0, width - text.length()))).append(text);
  }

  /** A text of any source, and the end of its line. */
  private void text(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\n') {
        out.append('\n').append(INDENT);
      } else if (c == '\t') {
        out.append(c);
      } else {
        PeerText.append(out, c);
      }
    }
    out.append('\n');
  }

  private void thrown(Throwable thrown) {
    Throwable at = thrown;
    for (int i = 0; at != null && i < MAX_CAUSES; i++, at = at.getCause()) {
      out.append(i == 0 ? "" : "Caused by: ");
      text(at.toString());
      StackTraceElement[] frames = at.getStackTrace();
      for (int j = 0; j < Math.min(frames.length, MAX_FRAMES); j++) {
        out.append("\tat ").append(frames[j]).append('\n');
      }
    }
  }
}
