package dev.weir.proxy.http2;

import java.util.concurrent.TimeUnit;

/**
 * What a peer may waste of a connection before it is ended: a bucket that fills again slowly. When
 * three quarters are gone, the connection is drained; when all is, it ends.
 */
final class GlitchBudget {
  /** What may be spent at once. */
  static final int FULL = 1_000;

  /** What comes back in a second. */
  static final int PER_SECOND = 33;

  private static final int DRAINED_BELOW = FULL / 4;
  private static final long NS_PER_GLITCH = TimeUnit.SECONDS.toNanos(1) / PER_SECOND;

  /** What is left, when {@link #filledNs} was. */
  private int left = FULL;

  private long filledNs;

  /**
   * @param nowNs in the time of the loop's clock.
   */
  GlitchBudget(long nowNs) {
    filledNs = nowNs;
  }

  /** Takes of it; the budget may come to less than nothing. */
  void take(int cost, long nowNs) {
    final long filled = (nowNs - filledNs) / NS_PER_GLITCH;
    if (filled > 0) {
      left = (int) Math.min(FULL, left + filled);
      filledNs = left == FULL ? nowNs : filledNs + filled * NS_PER_GLITCH;
    }
    left -= cost;
  }

  /** What is left. */
  int left() {
    return left;
  }

  /** Whether the connection is to be drained. */
  boolean isLow() {
    return left < DRAINED_BELOW;
  }

  /** Whether the connection is to end. */
  boolean isEmpty() {
    return left <= 0;
  }
}
