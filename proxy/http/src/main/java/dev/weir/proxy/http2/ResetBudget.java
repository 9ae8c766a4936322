package dev.weir.proxy.http2;

import java.util.concurrent.TimeUnit;

/**
 * How many streams a client may reset while they are worked on, or make us break off the work on: a
 * bucket that fills again with time, and with each stream that ends well.
 */
final class ResetBudget {
  /** What may be reset at once. */
  static final int FULL = 200;

  /** Below that little is left. */
  static final int LOW = FULL / 4;

  private static final int PER_SECOND = 33;
  private static final long NS_PER_RESET = TimeUnit.SECONDS.toNanos(1) / PER_SECOND;

  /** From this age on a stream may be reset at will: an outage is no attack. */
  static final long OLD_NS = TimeUnit.SECONDS.toNanos(1);

  private int left = FULL;
  private long filledNs;

  ResetBudget(long nowNs) {
    filledNs = nowNs;
  }

  /** A stream has ended well. */
  void streamCompleted() {
    left = Math.min(FULL, left + 1);
  }

  /**
   * A stream has been reset that was worked on.
   *
   * @param oldNs from when on that may be done at will.
   * @return what is left, below 0 if there was nothing to take it from; {@link #FULL} if it may be
   *     done at will.
   */
  int take(long oldNs, long nowNs) {
    if (nowNs > oldNs) {
      return FULL;
    }
    final long filled = (nowNs - filledNs) / NS_PER_RESET;
    if (filled > 0) {
      left = (int) Math.min(FULL, left + filled);
      filledNs = left == FULL ? nowNs : filledNs + filled * NS_PER_RESET;
    }
    left = Math.max(-1, left - 1);
    return left;
  }
}
