package dev.weir.bench.torture.site;

import java.time.DateTimeException;
import java.time.Instant;

/** The part of a sidecar's log that tells of a span of time. */
final class LogSpan {
  private static final int LINES_MOST = 40;

  private LogSpan() {}

  /** The lines of that time, and the lines without a time behind them. */
  static String of(String log, long fromEpochMs, long toEpochMs, String prefix) {
    final StringBuilder text = new StringBuilder();
    boolean within = false;
    int count = 0;
    for (String line : log.split("\n")) {
      final int end = line.indexOf(' ');
      if (end > 0 && line.startsWith("20")) {
        try {
          final long atMs = Instant.parse(line.substring(0, end)).toEpochMilli();
          within = atMs >= fromEpochMs && atMs <= toEpochMs;
        } catch (DateTimeException e) {
          // A line that only looks as if it began with a time.
          within = true;
        }
      }
      if (within && count++ < LINES_MOST) {
        text.append(prefix).append(line).append('\n');
      }
    }
    return text.toString();
  }
}
