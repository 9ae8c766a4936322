package dev.weir.bench.load;

import dev.weir.bench.report.FigureText;
import dev.weir.bench.report.RunResult.Slice;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;

/**
 * How a run goes, on one line that is written over on a terminal; elsewhere a line every ten
 * seconds, for the logs of a build.
 */
final class LiveLine implements LoadRun.Progress {
  private static final long QUIET_MS = 10_000;

  private final PrintWriter out;
  private final double seconds;
  private final boolean terminal = isTerminal();
  private long saidMs;
  private boolean isOpen;

  /**
   * @param seconds that are measured.
   */
  LiveLine(PrintWriter out, double seconds) {
    this.out = out;
    this.seconds = seconds;
  }

  private static boolean isTerminal() {
    try {
      final String file = Path.of("/proc/self/fd/2").toRealPath().toString();
      return file.startsWith("/dev/pts/") || file.startsWith("/dev/tty");
    } catch (IOException notLinux) {
      return false;
    }
  }

  @Override
  public void slice(Slice slice, long p99Ns) {
    if (!terminal && slice.endMs() - saidMs < QUIET_MS) {
      return;
    }
    saidMs = slice.endMs();
    final double lengthSeconds = (slice.endMs() - slice.startMs()) / 1e3;
    final long ended = slice.passed() + slice.refused() + slice.failed();
    final String line =
        String.format(
            Locale.ROOT,
            "%5.1f of %.0f s  %s  %,.0f/s due  %,.0f/s sent  %.1f %% refused  %,d failed  p99 %s",
            slice.endMs() / 1e3,
            seconds,
            bar(slice.endMs() / 1e3 / seconds),
            slice.due() / lengthSeconds,
            slice.sent() / lengthSeconds,
            ended == 0 ? 0 : 100.0 * slice.refused() / ended,
            slice.failed(),
            p99Ns == 0 ? "-" : FigureText.time(p99Ns));
    if (terminal) {
      // Not wrapped where the terminal is too narrow: what is wrapped is not written over.
      out.print("\r\033[K\033[?7l" + line + "\033[?7h");
      isOpen = true;
    } else {
      out.println(line);
    }
    out.flush();
  }

  private static String bar(double part) {
    final int full = (int) Math.max(0, Math.min(20, Math.round(20 * part)));
    return "[" + "#".repeat(full) + ".".repeat(20 - full) + "]";
  }

  /** Leaves what stands there. */
  void end() {
    if (isOpen) {
      out.println();
      out.flush();
    }
  }
}
