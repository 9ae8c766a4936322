package dev.weir.algorithms;

import java.util.NavigableMap;
import java.util.TreeMap;

/** Every bucket that ever admitted something, with its count. */
final class ModelBucketRing extends Model {
  private final long widthNs;
  private final long subWindows;
  private NavigableMap<Long, Long> counts = new TreeMap<>();

  ModelBucketRing(long limit, long windowNs, int subWindows) {
    super(limit, 1);
    this.widthNs = windowNs / subWindows;
    this.subWindows = subWindows;
  }

  /** The bucket of a time, or the newest that ever admitted something if that is later. */
  private long present(long nowNs) {
    final long bucket = nowNs / widthNs;
    return counts.isEmpty() ? bucket : Math.max(bucket, counts.lastKey());
  }

  private long total(long present) {
    long total = 0;
    for (long count : counts.tailMap(present - subWindows, false).values()) {
      total += count;
    }
    return total;
  }

  @Override
  long current(long nowNs) {
    return total(present(nowNs));
  }

  @Override
  boolean passes(long cost, long nowNs) {
    return cost <= available(nowNs);
  }

  @Override
  void charge(long units, long nowNs) {
    counts.merge(present(nowNs), units, Long::sum);
  }

  /**
   * Counts from the newest bucket that ever admitted something, though it may have given it back.
   */
  @Override
  long resetAtNs(long nowNs) {
    if (counts.isEmpty() || total(counts.lastKey()) == 0) {
      return nowNs;
    }
    return Math.max((counts.lastKey() + subWindows) * widthNs, nowNs);
  }

  @Override
  void refund(long units, long chargedAtNs, long nowNs) {
    if (!counts.isEmpty() && counts.lastKey() == chargedAtNs / widthNs) {
      counts.merge(counts.lastKey(), 0L, (count, none) -> Math.max(count - units, 0));
    }
  }

  @Override
  void reset() {
    counts.clear();
  }

  @Override
  long edgeNs(long nowNs) {
    return (nowNs / widthNs + 1) * widthNs;
  }

  @Override
  Model sameStateUnder(Model to) {
    if (!(to instanceof ModelBucketRing other)
        || other.widthNs != widthNs
        || other.subWindows != subWindows) {
      return null;
    }
    other.counts = counts;
    return other;
  }
}
