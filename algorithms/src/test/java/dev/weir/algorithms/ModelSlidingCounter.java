package dev.weir.algorithms;

import java.math.BigInteger;

/** The counts of two windows beside each other, and an estimate from both as a fraction. */
final class ModelSlidingCounter extends Model {
  private static final long NONE = -1;

  private final long windowNs;
  private long window = NONE;
  private long cur;
  private long prev;

  ModelSlidingCounter(long limit, long windowNs) {
    super(limit, 1);
    this.windowNs = windowNs;
  }

  /** The window that a time counts in: its own, or the stored one if that begins after it. */
  private long windowOf(long nowNs) {
    return Math.max(nowNs / windowNs, window);
  }

  private long curAt(long nowNs) {
    return windowOf(nowNs) == window ? cur : 0;
  }

  private long prevAt(long nowNs) {
    if (windowOf(nowNs) == window) {
      return prev;
    }
    return windowOf(nowNs) == window + 1 ? cur : 0;
  }

  /** The estimate times the length of a window: cur * W + prev * (W - e). */
  private BigInteger estimate(long nowNs) {
    final long elapsedNs = Math.max(nowNs - windowOf(nowNs) * windowNs, 0);
    return times(curAt(nowNs), windowNs).add(times(prevAt(nowNs), windowNs - elapsedNs));
  }

  private static BigInteger times(long a, long b) {
    return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
  }

  @Override
  boolean passes(long cost, long nowNs) {
    return cost <= capacity
        && estimate(nowNs).add(times(cost, windowNs)).compareTo(times(capacity, windowNs)) <= 0;
  }

  @Override
  long current(long nowNs) {
    return ceilDiv(estimate(nowNs), BigInteger.valueOf(windowNs)).longValueExact();
  }

  @Override
  void charge(long units, long nowNs) {
    final long curNow = curAt(nowNs);
    prev = prevAt(nowNs);
    window = windowOf(nowNs);
    cur = curNow + units;
  }

  @Override
  long resetAtNs(long nowNs) {
    final long endNs = (windowOf(nowNs) + 1) * windowNs;
    if (curAt(nowNs) > 0) {
      return endNs + windowNs;
    }
    return prevAt(nowNs) > 0 ? endNs : nowNs;
  }

  @Override
  void refund(long units, long chargedAtNs, long nowNs) {
    if (window == NONE) {
      return;
    }
    if (chargedAtNs / windowNs == window) {
      cur = Math.max(cur - units, 0);
    } else if (chargedAtNs / windowNs == window - 1) {
      prev = Math.max(prev - units, 0);
    }
  }

  @Override
  void reset() {
    window = NONE;
    cur = 0;
    prev = 0;
  }

  @Override
  long edgeNs(long nowNs) {
    return (nowNs / windowNs + 1) * windowNs;
  }

  @Override
  Model sameStateUnder(Model to) {
    if (!(to instanceof ModelSlidingCounter other) || other.windowNs != windowNs) {
      return null;
    }
    other.window = window;
    other.cur = cur;
    other.prev = prev;
    return other;
  }
}
