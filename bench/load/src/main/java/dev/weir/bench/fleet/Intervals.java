package dev.weir.bench.fleet;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Spans of time, in microseconds of Unix time, within which one moment each is meant: of a request,
 * from before it was sent until after its answer came. Not thread-safe.
 */
final class Intervals {
  private long[] fromUs = new long[64];
  private long[] toUs = new long[64];
  private int count;

  /**
   * @param toUs not before {@code fromUs}.
   */
  void add(long fromUs, long toUs) {
    if (fromUs > toUs) {
      throw new IllegalArgumentException(toUs + " (expected: not before " + fromUs + ")");
    }
    if (count == this.fromUs.length) {
      this.fromUs = Arrays.copyOf(this.fromUs, 2 * count);
      this.toUs = Arrays.copyOf(this.toUs, 2 * count);
    }
    this.fromUs[count] = fromUs;
    this.toUs[count++] = toUs;
  }

  int count() {
    return count;
  }

  long fromUs(int index) {
    return fromUs[index];
  }

  long toUs(int index) {
    return toUs[index];
  }

  long middleUs(int index) {
    return fromUs[index] + (toUs[index] - fromUs[index]) / 2;
  }

  /** The same spans, those that begin last first. */
  Intervals latestFirst() {
    final Integer[] order = new Integer[count];
    Arrays.setAll(order, index -> index);
    Arrays.sort(order, Comparator.comparingLong((Integer index) -> fromUs[index]).reversed());
    final Intervals sorted = new Intervals();
    for (int index : order) {
      sorted.add(fromUs[index], toUs[index]);
    }
    return sorted;
  }

  /** The same spans by a coarser clock: which tick of it each begins and ends in. */
  Intervals inUnitsOf(long unitUs) {
    final Intervals coarse = new Intervals();
    for (int index = 0; index < count; index++) {
      coarse.add(Math.floorDiv(fromUs[index], unitUs), Math.floorDiv(toUs[index], unitUs));
    }
    return coarse;
  }

  /** The ends of all spans in their order, each once. */
  long[] ends() {
    return Arrays.stream(toUs, 0, count).sorted().distinct().toArray();
  }
}
