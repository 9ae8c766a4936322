package dev.weir.proxy.http2;

import java.util.concurrent.TimeUnit;

/**
 * A token bucket: units that may be spent, and that come back at a rate per second until it is
 * full.
 */
final class RefillingBudget {
  private final int full;
  private final long nsPerUnit;

  /**
   * The units that are left, as of {@link #filledNs}; below 0 if more were taken than there were.
   */
  private int left;

  private long filledNs;

  /**
   * @param full units that may be spent at once.
   * @param nowNs in the time of the loop's clock.
   */
  RefillingBudget(int full, int perSecond, long nowNs) {
    this.full = full;
    nsPerUnit = TimeUnit.SECONDS.toNanos(1) / perSecond;
    left = full;
    filledNs = nowNs;
  }

  /** Returns a unit. */
  void giveOne() {
    left = Math.min(full, left + 1);
  }

  /** Takes units; returns how many are left, -1 if there were too few. */
  int take(int units, long nowNs) {
    final long filled = (nowNs - filledNs) / nsPerUnit;
    if (filled > 0) {
      left = (int) Math.min(full, left + filled);
      filledNs = left == full ? nowNs : filledNs + filled * nsPerUnit;
    }
    left = Math.max(-1, left - units);
    return left;
  }
}
