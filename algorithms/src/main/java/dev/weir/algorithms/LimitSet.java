package dev.weir.algorithms;

import java.util.Arrays;

/**
 * Charges several budgets of one request, such as 10 per second and 1,000 per hour, or none of
 * them, whatever their keys and tables. Filled anew for each request. Owned by one thread.
 *
 * <p>All budgets are checked before any is charged. If another thread takes one of them in between,
 * the earlier charges are returned: for a moment others may find less than there is, and never
 * more. A queue takes nothing back: its slot is then taken for nobody.
 *
 * <p>Of a budget that {@link #addHeld holds}, and of one under {@link Limit#heldUnits}, the units
 * are held instead of charged: each set that passed is ended by the caller, budget by budget.
 */
public final class LimitSet {
  /** The most budgets of a request. */
  public static final int MAX_SIZE = 8;

  private static final int MAX_ATTEMPTS = 16;

  private final LimitTable[] tables = new LimitTable[MAX_SIZE];
  private final long[] keys = new long[MAX_SIZE];
  private final Limit[] limits = new Limit[MAX_SIZE];
  private final long[] costs = new long[MAX_SIZE];

  /** Takes the place of a limit whose user may get another plan. */
  private final PlannedLimit[] planned = new PlannedLimit[MAX_SIZE];

  /** The table in which each budget's units are held; null for budgets charged at once. */
  private final LimitTable[] words = new LimitTable[MAX_SIZE];

  private final long[] heldKeys = new long[MAX_SIZE];
  private int size;

  /** The index of the budget that the answer is about. */
  private int chosen;

  public LimitSet() {
    Arrays.setAll(planned, i -> new PlannedLimit());
  }

  /** Forgets all budgets. */
  public LimitSet clear() {
    size = 0;
    chosen = 0;
    return this;
  }

  /**
   * Adds a budget; each has another key.
   *
   * @param cost units of that limit to take of it.
   * @throws IllegalArgumentException naming the value and what was expected.
   */
  public LimitSet add(LimitTable table, long key, Limit limit, long cost) {
    checkSize(size + 1);
    tables[size] = table;
    keys[size] = key;
    limits[size] = limit;
    words[size] = null;
    costs[size++] = cost;
    return this;
  }

  /**
   * Adds a budget whose cost is known at the end ({@link HeldBudget}).
   *
   * @param inWords where its units are held.
   * @param units to hold.
   */
  public LimitSet addHeld(
      LimitTable table, long key, Limit limit, LimitTable inWords, long heldKey, long units) {
    add(table, key, limit, units);
    words[size - 1] = inWords;
    heldKeys[size - 1] = heldKey;
    return this;
  }

  /**
   * Puts the budget that was added last, with its user's limit, under the user's plan ({@link
   * PlannedLimit#under}).
   *
   * @param before the limit under the plan before.
   * @param users null if nothing is known of the user.
   */
  public LimitSet underPlan(Limit before, UserTable users, int slot, long hash, long word) {
    final int last = size - 1;
    limits[last] =
        users == null
            ? planned[last].unknown(limits[last])
            : planned[last].under(limits[last], before, users, slot, hash, word);
    return this;
  }

  private static void checkSize(int size) {
    Bounds.range("size", size, 1, MAX_SIZE);
  }

  public int size() {
    return size;
  }

  public long key(int index) {
    return keys[index];
  }

  /** The limit of a budget: under a plan, the plan's. */
  public Limit limit(int index) {
    return limits[index] instanceof PlannedLimit underPlan ? underPlan.limit() : limits[index];
  }

  /** Units that the budget is charged, or that are held of it. */
  public long cost(int index) {
    return costs[index];
  }

  /** Whether units of the budget are held until the caller releases them. */
  public boolean isHeld(int index) {
    return words[index] != null || limits[index] instanceof HeldUnits;
  }

  /** The index of the budget that the last answer is about. */
  public int chosen() {
    return chosen;
  }

  /**
   * Charges each budget its cost, or none.
   *
   * @param out about the budget with the smallest share left if allowed, about the one with the
   *     longest wait if not; {@link Decision#moved()} if a budget was carried elsewhere by a
   *     reload, {@link Decision#contended()} if other threads took one of them too often meanwhile,
   *     and then none is charged.
   * @throws IllegalArgumentException if there is no budget.
   */
  public boolean check(long nowNs, Decision out) {
    chosen = 0;
    if (size == 1) {
      return check(0, nowNs, out);
    }
    checkSize(size);
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (!wouldPass(nowNs, out)) {
        // The budget that was chosen is not the one that was looked at last, and may have changed.
        if (!peek(chosen, nowNs, out)) {
          return false;
        }
      } else if (charge(nowNs, out)) {
        return true;
      }
    }
    tables[chosen].refuseContended(limits[chosen], costs[chosen], nowNs, out);
    return false;
  }

  /**
   * Finds what {@link #check} would decide, and charges nothing.
   *
   * @param out as of a check.
   * @throws IllegalArgumentException if there is no budget.
   */
  public boolean peek(long nowNs, Decision out) {
    chosen = 0;
    if (size == 1) {
      return peek(0, nowNs, out);
    }
    checkSize(size);
    long waitNs = 0;
    final boolean mayWait = wouldPass(nowNs, out);
    for (int i = 0; mayWait && i < size; i++) {
      peek(i, nowNs, out);
      waitNs = Math.max(waitNs, out.waitNs());
    }
    final boolean passes = peek(chosen, nowNs, out);
    out.waitAtLeastNs(waitNs);
    return passes;
  }

  /** Finds what one of the budgets would decide. */
  public boolean peek(int index, long nowNs, Decision out) {
    final LimitTable table = tables[index];
    return words[index] == null
        ? table.peek(keys[index], limits[index], costs[index], nowNs, out)
        : HeldBudget.peek(
            table,
            keys[index],
            limits[index],
            words[index],
            heldKeys[index],
            costs[index],
            nowNs,
            out);
  }

  /** Charges one of the budgets, or holds its units. */
  private boolean check(int index, long nowNs, Decision out) {
    final LimitTable table = tables[index];
    return words[index] == null
        ? table.check(keys[index], limits[index], costs[index], nowNs, out)
        : HeldBudget.hold(
            table,
            keys[index],
            limits[index],
            words[index],
            heldKeys[index],
            costs[index],
            nowNs,
            out);
  }

  /** Undoes what {@link #check(int, long, Decision)} has just done. */
  private void undo(int index, long nowNs) {
    final LimitTable table = tables[index];
    if (words[index] != null) {
      words[index].release(heldKeys[index], costs[index], nowNs);
    } else if (limits[index] instanceof HeldUnits) {
      table.release(keys[index], costs[index], nowNs);
    } else {
      table.refund(keys[index], limits[index], costs[index], nowNs, nowNs);
    }
  }

  /** Makes each budget full again; what is held of it stays held. */
  public void reset(long nowNs) {
    for (int i = 0; i < size; i++) {
      if (!(limits[i] instanceof HeldUnits)) {
        tables[i].reset(keys[i], nowNs);
      }
    }
  }

  /** Chooses the budget that the answer is about. */
  private boolean wouldPass(long nowNs, Decision out) {
    boolean passes = true;
    long longestNs = -1;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < size; i++) {
      if (!peek(i, nowNs, out)) {
        if (out.moved()) {
          chosen = i;
          return false;
        }
        passes = false;
        if (out.retryAfterNs() > longestNs) {
          longestNs = out.retryAfterNs();
          chosen = i;
        }
      } else if (passes) {
        final double share = (double) (out.remaining() - costs[i]) / limits[i].capacity();
        if (share < least) {
          least = share;
          chosen = i;
        }
      }
    }
    return passes;
  }

  private boolean charge(long nowNs, Decision out) {
    final int last = chosen;
    long waitNs = 0;
    for (int i = 0; i < size; i++) {
      // The one that the answer is about comes last, so that its decision stands.
      final int at = inOrder(i, last);
      if (!check(at, nowNs, out)) {
        for (int j = i - 1; j >= 0; j--) {
          undo(inOrder(j, last), nowNs);
        }
        chosen = at;
        return false;
      }
      waitNs = Math.max(waitNs, out.waitNs());
    }
    out.waitAtLeastNs(waitNs);
    return true;
  }

  private int inOrder(int place, int last) {
    if (place == size - 1) {
      return last;
    }
    return place < last ? place : place + 1;
  }
}
