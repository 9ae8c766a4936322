package dev.weir.bench.scenario;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * When requests are due: how many by each moment, as straight lines between points. Two points at
 * one time are a burst. Immutable; each event loop walks it with a {@link Cursor} of its own.
 */
public final class Schedule {
  private final long[] timesNs;
  private final double[] counts;

  private Schedule(long[] timesNs, double[] counts) {
    this.timesNs = timesNs;
    this.counts = counts;
  }

  public static Schedule constant(double perSecond, long durationNs) {
    return new Builder().line(durationNs, perSecond * durationNs / 1e9).build();
  }

  public long durationNs() {
    return timesNs[timesNs.length - 1];
  }

  public double count() {
    return counts[counts.length - 1];
  }

  /** How many are due by a time, from 0 at the start. */
  public double countBy(long ns) {
    if (ns < 0) {
      return 0;
    }
    if (ns >= durationNs()) {
      return count();
    }
    final int found = Arrays.binarySearch(timesNs, ns);
    int at = found >= 0 ? found : -found - 2;
    while (at + 1 < timesNs.length && timesNs[at + 1] <= ns) {
      at++; // of several points at one time, the last
    }
    final double part = (double) (ns - timesNs[at]) / (timesNs[at + 1] - timesNs[at]);
    return counts[at] + part * (counts[at + 1] - counts[at]);
  }

  /** Requests per second, over the whole of it. */
  public double meanRate() {
    return count() / (durationNs() / 1e9);
  }

  /** The most that are due in any second, or in the whole of it if it is shorter, per second. */
  public double peakRate() {
    final long secondNs = Math.min(1_000_000_000L, durationNs());
    double peak = 0;
    for (long startNs = 0; startNs + secondNs <= durationNs(); startNs += secondNs / 10) {
      peak = Math.max(peak, countBy(startNs + secondNs - 1) - countBy(startNs - 1));
    }
    return peak * 1e9 / secondNs;
  }

  /**
   * Divides the requests among walkers. Those of equal shares are spread evenly, and send together
   * what there is; of unequal ones each sends its part within one.
   *
   * @param shares of all requests, each more than 0, 1 in all.
   */
  public List<Cursor> cursors(double... shares) {
    final List<Cursor> cursors = new ArrayList<>();
    double before = 0;
    for (double share : shares) {
      cursors.add(new Cursor(share, before + share / 2));
      before += share;
    }
    return cursors;
  }

  /** A walk over the requests that one event loop sends to one target. Not thread-safe. */
  public final class Cursor {
    private final double share;
    private final double phase;
    private long index;
    private int segment;
    private long dueNs;

    private Cursor(double share, double phase) {
      this.share = share;
      this.phase = phase;
      find();
    }

    /**
     * When the next request is due, from 0 at the start; {@link Long#MAX_VALUE} behind the last.
     */
    public long dueNs() {
      return dueNs;
    }

    public void advance() {
      index++;
      find();
    }

    private void find() {
      final double wanted = (index + phase) / share;
      while (segment + 1 < counts.length && counts[segment + 1] <= wanted) {
        segment++;
      }
      if (segment + 1 == counts.length) {
        dueNs = Long.MAX_VALUE;
        return;
      }
      final double part = (wanted - counts[segment]) / (counts[segment + 1] - counts[segment]);
      dueNs = timesNs[segment] + (long) (part * (timesNs[segment + 1] - timesNs[segment]));
    }
  }

  static final class Builder {
    private long[] timesNs = new long[16];
    private double[] counts = new double[16];
    private int size = 1;

    /** Adds requests, evenly over a time; all at once over none. */
    Builder line(long durationNs, double count) {
      if (size == timesNs.length) {
        timesNs = Arrays.copyOf(timesNs, 2 * size);
        counts = Arrays.copyOf(counts, 2 * size);
      }
      timesNs[size] = timesNs[size - 1] + durationNs;
      counts[size] = counts[size - 1] + count;
      size++;
      return this;
    }

    double count() {
      return counts[size - 1];
    }

    Schedule build() {
      return new Schedule(Arrays.copyOf(timesNs, size), Arrays.copyOf(counts, size));
    }
  }
}
