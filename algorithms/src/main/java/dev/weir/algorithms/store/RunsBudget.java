package dev.weir.algorithms.store;

import java.util.Arrays;

/**
 * Runs of units that leave at the same time, oldest first: what the sliding log and the bucket ring
 * share. A ring is a log whose leaving times are those of sub-windows, and whose clock is never
 * before its newest one.
 */
public abstract class RunsBudget extends StoredBudget {
  private long[] leavesUs = new long[8];
  private long[] counts = new long[8];
  private int size;
  private int first;
  private int kept;
  private long total;
  private long stored;
  private long newestUs;
  private boolean isClamped;

  /** The leaving times as committed, while they are moved but not committed; else null. */
  private long[] committedLeavesUs;

  RunsBudget(long limit) {
    super(limit);
  }

  /** How long a unit counts. */
  abstract long spanUs();

  /** When a unit leaves that is admitted at a moment, unless those before it leave later. */
  abstract long leavesAtUs(long nowUs);

  /** The moment that counts as now. */
  abstract long presentUs(long nowUs, long newestLeavesUs);

  /** Until when runs that have left are remembered, for a clock that steps back. */
  abstract long rememberedUs(long nowUs, long presentUs);

  /** Whether the newest run is remembered though it is empty. */
  abstract boolean keepsNewest();

  /** Takes back what a charge occupies of the runs that count; whether anything. */
  abstract boolean take(long nowUs, long units, long chargedAtUs, long lifeUs);

  /** Index of the first run that counts. */
  final int firstRun() {
    return first;
  }

  /** Runs, from 0; those from {@link #firstRun} on count. */
  final int runCount() {
    return size;
  }

  final long runLeavesUs(int run) {
    return leavesUs[run];
  }

  final long runUnits(int run) {
    return counts[run];
  }

  /** Takes units off a run that counts, or, of a ring, has counted. */
  final void takeOff(int run, long units) {
    counts[run] -= units;
    stored -= units;
    total -= run >= first ? units : 0;
  }

  /** Units that count. */
  final long total() {
    return total;
  }

  /** Sets when the newest run leaves. */
  final void newest(long us) {
    newestUs = us;
  }

  /** Keeps runs that have left too: what is changed may be one of them. */
  final void keepAll() {
    kept = 0;
  }

  @Override
  public void arrive(long nowUs) {
    if (committedLeavesUs != null) {
      leavesUs = committedLeavesUs;
      committedLeavesUs = null;
    }
    long newest = size > 0 ? leavesUs[size - 1] : 0;
    final long latest = leavesAtUs(nowUs);
    isClamped = newest > latest + spanUs();
    if (isClamped) {
      final long shift = newest - latest;
      committedLeavesUs = leavesUs.clone();
      for (int run = 0; run < size; run++) {
        leavesUs[run] = Math.max(leavesUs[run] - shift, 0);
      }
      newest = latest;
    }
    newestUs = newest;
    stored = 0;
    for (int run = 0; run < size; run++) {
      stored += counts[run];
    }
    total = stored;
    final long present = presentUs(nowUs, newest);
    for (first = 0; first < size && leavesUs[first] <= present; first++) {
      total -= counts[first];
    }
    final long remembered = rememberedUs(nowUs, present);
    for (kept = 0; kept < first && leavesUs[kept] <= remembered; ) {
      kept++;
    }
  }

  @Override
  public boolean isClamped() {
    return isClamped;
  }

  @Override
  public void commit(long nowUs) {
    int to = 0;
    int counting = 0;
    for (int run = kept; run < size; run++) {
      counting = run == first ? to : counting;
      if (counts[run] > 0 || keepsNewest() && run == size - 1) {
        leavesUs[to] = leavesUs[run];
        counts[to++] = counts[run];
      }
    }
    first = first < size ? counting : to;
    kept = 0;
    size = to;
    committedLeavesUs = null;
  }

  @Override
  public long available(long nowUs) {
    return Math.max(capacity() - total, 0);
  }

  @Override
  public void charge(long nowUs, long units) {
    final long leaves = Math.max(leavesAtUs(nowUs), newestUs);
    if (size > first && leavesUs[size - 1] == leaves) {
      counts[size - 1] += units;
    } else {
      if (size == counts.length) {
        leavesUs = Arrays.copyOf(leavesUs, 2 * size);
        counts = Arrays.copyOf(counts, 2 * size);
      }
      leavesUs[size] = leaves;
      counts[size++] = units;
    }
    total += units;
    stored = total;
    newestUs = leaves;
  }

  @Override
  public boolean giveBack(long nowUs, long units, long chargedAtUs, long lifeUs, long mark) {
    return take(nowUs, units, chargedAtUs, lifeUs);
  }

  @Override
  public long resetAtUs(long nowUs) {
    final long counted = keepsNewest() ? stored : total;
    return counted == 0 ? nowUs : Math.max(newestUs, nowUs);
  }

  @Override
  public long drainedUs(long nowUs, long room) {
    long left = total;
    int run = first;
    while (left > room && run < size) {
      left -= counts[run++];
    }
    return run == first ? 0 : Math.max(leavesUs[run - 1] - nowUs, 0);
  }
}
