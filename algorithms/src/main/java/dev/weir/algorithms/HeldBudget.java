package dev.weir.algorithms;

/**
 * Budgets whose costs are known at the end of a request: units are held from its verdict to its
 * end, and the end charges the cost. So with what counts under the limit {@code D}, what is held
 * {@code H}, and the capacity {@code C}, a request passes if {@code D + H + units <= C}.
 *
 * <p><b>Guarantee.</b> If no cost is above what was held for it, no window holds more than the
 * limit, whichever moment between its verdict and its end each request is counted at: at each grant
 * {@code D + H <= C}, and neither an end nor time raises the sum.
 *
 * <p><b>Order.</b> {@code D} and {@code H} are two words, changed by CAS, without a lock:
 *
 * <ul>
 *   <li>Who asks adds before he looks: he adds his units to H, then loads D. Of two that ask at
 *       once, the later one to add sees the units of the earlier one.
 *   <li>Who ends charges before he releases: he adds the cost to D, then takes his units off H. Who
 *       asks meanwhile sees them in one of the two words, or in both.
 *   <li>Who charges at once, such as a check that has no end, does so by a hold and its end.
 * </ul>
 *
 * <p>So an asker may see too much for a moment and be refused, and never too little. No fence is
 * needed: to add is a CAS, and loads stay behind a CAS. If it finds that units have been released,
 * the loads behind it find the cost that was charged before.
 */
public final class HeldBudget {
  /** A limit of all units that a word can count: the limit beside it says how much may be held. */
  private static final Limit WORD = new HeldUnits(HeldUnits.MAX_UNITS, null);

  /**
   * The largest capacity of a limit beside which units are held, 2^40: a word then counts what a
   * hundred threads add before they look.
   */
  public static final long MAX_CAPACITY = 1L << 40;

  private HeldBudget() {}

  /**
   * Holds units of a budget, or none.
   *
   * @param table where what counts under the limit is, at {@code key}.
   * @param limit of a capacity up to {@link #MAX_CAPACITY}; no queue.
   * @param words where the held units are, at {@code heldKey}.
   * @param units 1 or more.
   * @param out overwritten: about the limit, with {@link Decision#held()}; or {@link
   *     Decision#noRoom()}.
   * @return whether they are held; then {@link #settle} ends that, once.
   */
  public static boolean hold(
      LimitTable table,
      long key,
      Limit limit,
      LimitTable words,
      long heldKey,
      long units,
      long nowNs,
      Decision out) {
    if (units > limit.capacity()) {
      return peek(table, key, limit, words, heldKey, units, nowNs, out);
    }
    if (!words.check(heldKey, WORD, units, nowNs, out)) {
      return false;
    }
    final long others = out.current() - units;
    if (look(table, key, limit, others, units, nowNs, out)) {
      out.hold(others + units);
      return true;
    }
    words.release(heldKey, units, nowNs);
    return false;
  }

  /** Finds what {@link #hold} would decide, and holds nothing. */
  public static boolean peek(
      LimitTable table,
      long key,
      Limit limit,
      LimitTable words,
      long heldKey,
      long units,
      long nowNs,
      Decision out) {
    words.peek(heldKey, WORD, 1, nowNs, out);
    return look(table, key, limit, out.current(), units, nowNs, out);
  }

  /** Whether units fit beside those that others hold, and those that count under the limit. */
  private static boolean look(
      LimitTable table, long key, Limit limit, long others, long units, long nowNs, Decision out) {
    final boolean fits = table.peek(key, limit, units, nowNs, out);
    out.hold(others);
    if (fits && units > limit.capacity() - out.current() - others) {
      out.refuse();
      return false;
    }
    return fits;
  }

  /**
   * Ends what {@link #hold} began: charges the cost, then releases the units.
   *
   * @param key where the cost is charged: where units were held, or where that budget has been
   *     carried over to.
   * @param cost units to charge, 0 or more.
   * @param out overwritten unless the cost is 0; {@link Decision#granted()} is what was charged of
   *     it.
   * @return false if the key has been carried over: then nothing has been done.
   */
  public static boolean settle(
      LimitTable table,
      long key,
      Limit limit,
      long cost,
      LimitTable words,
      long heldKey,
      long units,
      long nowNs,
      Decision out) {
    if (cost > 0) {
      table.chargeUsed(key, limit, cost, units, nowNs, out);
      if (out.moved()) {
        return false;
      }
    }
    words.release(heldKey, units, nowNs);
    return true;
  }
}
