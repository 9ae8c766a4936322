package dev.weir.bench.fleet;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.agrona.collections.LongArrayList;

/**
 * Spans of time, in microseconds of Unix time, within which one moment each is meant: of a request,
 * from before it was sent until after its answer came. Not thread-safe.
 */
final class Intervals {
  private final LongArrayList fromUs = new LongArrayList();
  private final LongArrayList toUs = new LongArrayList();

  /**
   * @param toUs not before {@code fromUs}.
   */
  void add(long fromUs, long toUs) {
    if (fromUs > toUs) {
      throw new IllegalArgumentException(toUs + " (expected: not before " + fromUs + ")");
    }
    this.fromUs.addLong(fromUs);
    this.toUs.addLong(toUs);
  }

  int count() {
    return fromUs.size();
  }

  long fromUs(int index) {
    return fromUs.getLong(index);
  }

  long toUs(int index) {
    return toUs.getLong(index);
  }

  long middleUs(int index) {
    return fromUs(index) + (toUs(index) - fromUs(index)) / 2;
  }

  /** The same spans, those that begin last first. */
  Intervals latestFirst() {
    final Intervals sorted = new Intervals();
    IntStream.range(0, count())
        .boxed()
        .sorted(Comparator.comparingLong(this::fromUs).reversed())
        .forEach(index -> sorted.add(fromUs(index), toUs(index)));
    return sorted;
  }

  /** The same spans by a coarser clock: which tick of it each begins and ends in. */
  Intervals inUnitsOf(long unitUs) {
    final Intervals coarse = new Intervals();
    for (int index = 0; index < count(); index++) {
      coarse.add(Math.floorDiv(fromUs(index), unitUs), Math.floorDiv(toUs(index), unitUs));
    }
    return coarse;
  }

  /** The ends of all spans in their order, each once. */
  long[] ends() {
    return Arrays.stream(toUs.toLongArray()).sorted().distinct().toArray();
  }
}
