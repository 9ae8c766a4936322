package dev.weir.bench.fleet;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Unix time of readings of {@link System#nanoTime}, which is what windows of the clock are counted
 * by in a store on this machine. How far the two clocks are apart is known within the time that it
 * takes to read both, by which spans are widened. Immutable.
 */
final class UnixClock {
  private static final int READINGS = 50;

  private final long epochUs;
  private final long beforeNs;
  private final long behindNs;

  private UnixClock(long epochUs, long beforeNs, long behindNs) {
    this.epochUs = epochUs;
    this.beforeNs = beforeNs;
    this.behindNs = behindNs;
  }

  static UnixClock now() {
    UnixClock best = read();
    for (int i = 1; i < READINGS; i++) {
      final UnixClock other = read();
      if (other.behindNs - other.beforeNs < best.behindNs - best.beforeNs) {
        best = other;
      }
    }
    return best;
  }

  private static UnixClock read() {
    final long beforeNs = System.nanoTime();
    final long epochUs = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    return new UnixClock(epochUs, beforeNs, System.nanoTime());
  }

  /** The latest microsecond that surely was not behind a reading. */
  long notAfterUs(long ns) {
    return epochUs + Math.floorDiv(ns - behindNs, 1_000);
  }

  /** The first microsecond that surely was not before a reading. */
  long notBeforeUs(long ns) {
    // The clock's own reading is rounded down.
    return epochUs + 1 - Math.floorDiv(beforeNs - ns, 1_000);
  }

  /** Microseconds by which another one's Unix time was set forward against this one's. */
  long stepUs(UnixClock later) {
    return later.epochUs - notAfterUs(later.beforeNs);
  }
}
