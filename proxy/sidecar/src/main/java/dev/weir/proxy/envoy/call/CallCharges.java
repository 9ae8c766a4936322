package dev.weir.proxy.envoy.call;

import dev.weir.proxy.envoy.file.Budgets;
import java.util.Arrays;

/**
 * The descriptors of one call with a limit that is charged: what each takes, and what came of it.
 * Reused; its memory grows to what was needed once, and stays.
 */
final class CallCharges {
  private static final int AT_FIRST = 8;

  private int count;
  private Budgets[] budgets = new Budgets[AT_FIRST];
  private int[] descriptors = new int[AT_FIRST];
  private long[] hits = new long[AT_FIRST];
  private long[] keys = new long[AT_FIRST];
  private boolean[] granted = new boolean[AT_FIRST];
  private boolean[] taken = new boolean[AT_FIRST];
  private long[] used = new long[AT_FIRST];
  private long[] resetNs = new long[AT_FIRST];
  private long[] decidedAt = new long[AT_FIRST];

  void clear() {
    Arrays.fill(budgets, 0, count, null);
    count = 0;
  }

  /**
   * Adds one.
   *
   * @param units that it takes; 0 takes nothing, and looks.
   * @param key of a budget of this node.
   */
  void add(int descriptor, Budgets of, long units, long key) {
    if (count == budgets.length) {
      int length = 2 * count;
      budgets = Arrays.copyOf(budgets, length);
      descriptors = Arrays.copyOf(descriptors, length);
      hits = Arrays.copyOf(hits, length);
      keys = Arrays.copyOf(keys, length);
      granted = Arrays.copyOf(granted, length);
      taken = Arrays.copyOf(taken, length);
      used = Arrays.copyOf(used, length);
      resetNs = Arrays.copyOf(resetNs, length);
      decidedAt = Arrays.copyOf(decidedAt, length);
    }
    budgets[count] = of;
    descriptors[count] = descriptor;
    hits[count] = Math.min(units, Budgets.MOST_HITS);
    keys[count] = key;
    granted[count] = false;
    taken[count++] = false;
  }

  /** What came of a charge: whether it was taken, and how much of the budget is used now. */
  void decided(int charge, boolean isGranted, long usedUnits, long untilResetNs, long at) {
    granted[charge] = isGranted;
    taken[charge] = isGranted && hits[charge] > 0;
    used[charge] = usedUnits;
    resetNs[charge] = untilResetNs;
    decidedAt[charge] = at;
  }

  /** What was taken has gone back: it is granted all the same. */
  void givenBack(int charge) {
    used[charge] = Math.max(0, used[charge] - hits[charge]);
    taken[charge] = false;
  }

  /** It would have been taken, or not, and was not. */
  void notTaken(int charge, boolean isGranted) {
    granted[charge] = isGranted;
    taken[charge] = false;
  }

  int count() {
    return count;
  }

  Budgets budgets(int charge) {
    return budgets[charge];
  }

  /** Which of the call's descriptors it is of. */
  int descriptor(int charge) {
    return descriptors[charge];
  }

  long hits(int charge) {
    return hits[charge];
  }

  long key(int charge) {
    return keys[charge];
  }

  /** Whether it was taken, or would have been if it took anything. */
  boolean isGranted(int charge) {
    return granted[charge];
  }

  /** Whether it was taken, and has not gone back. */
  boolean isTaken(int charge) {
    return taken[charge];
  }

  /** Units that count, with its own if they were taken. */
  long used(int charge) {
    return used[charge];
  }

  long resetNs(int charge) {
    return resetNs[charge];
  }

  /** When it was decided, on the clock of whoever did. */
  long decidedAt(int charge) {
    return decidedAt[charge];
  }
}
