package dev.weir.bench.load;

import java.util.concurrent.TimeUnit;

/**
 * How long to wait before a lost connection is opened again: not at all while the target answers,
 * and up to 100 ms while it does not.
 */
final class ReconnectPause {
  private static final long FIRST_MS = 1;
  private static final long LONGEST_MS = 100;

  private long ms;
  private long grownNs = System.nanoTime() - TimeUnit.SECONDS.toNanos(1);

  /** The target has answered. */
  void end() {
    ms = 0;
  }

  /** The pause of a connection that is lost now, in milliseconds. */
  long next(long nowNs) {
    final long pauseMs = ms;
    // Grows once for all connections that are lost together.
    if (nowNs - grownNs >= TimeUnit.MILLISECONDS.toNanos(ms)) {
      grownNs = nowNs;
      ms = Math.min(Math.max(FIRST_MS, 2 * ms), LONGEST_MS);
    }
    return pauseMs;
  }
}
