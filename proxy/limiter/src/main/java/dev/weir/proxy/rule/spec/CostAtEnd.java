package dev.weir.proxy.rule.spec;

import dev.weir.proxy.request.ReportedCost;

/**
 * A cost as written that is known when the exchange ends: until then its reserve is held.
 *
 * @param cost which is read from the exchange.
 * @param reserve units that a request holds, 1 or more; or {@link #LEARN}.
 * @param reserveHeader the header that may say a larger reserve; null for none.
 * @param maxReserve the most that the header may say.
 * @param missing units that are charged if the cost is not told, 0 or more; or {@link #RESERVE}.
 */
public record CostAtEnd(
    ReportedCost cost, long reserve, KeyPart reserveHeader, long maxReserve, long missing) {
  /** The reserve is learned from the costs that were told before. */
  public static final long LEARN = 0;

  /** The reserve is charged if the cost is not told. */
  public static final long RESERVE = -1;

  /** The part of a limit's capacity that a learned reserve begins with. */
  private static final long FIRST_PART = 16;

  /** A cost whose reserve is learned, and charged if the cost is not told. */
  public static CostAtEnd of(ReportedCost cost) {
    long reserve = cost.kind() == ReportedCost.Kind.STATUS ? 1 : LEARN;
    return new CostAtEnd(cost, reserve, null, 0, RESERVE);
  }

  /** Returns this cost with a reserve of some units. */
  public CostAtEnd reserving(long units) {
    return new CostAtEnd(cost, units, null, 0, missing);
  }

  /** Returns this cost with a learned reserve, which a header may raise. */
  public CostAtEnd reservingByHeader(KeyPart header, long most) {
    return new CostAtEnd(cost, LEARN, header, most, missing);
  }

  /** Returns this cost with units that are charged if it is not told. */
  public CostAtEnd missing(long units) {
    return new CostAtEnd(cost, reserve, reserveHeader, maxReserve, units);
  }

  /** Whether the reserve is learned from the costs that were told before. */
  public boolean isLearned() {
    return reserve == LEARN;
  }

  /**
   * The units that a request holds of a limit as long as nothing was learned, unless a header says
   * more: no more than it may say.
   *
   * @param unit how many of the limit's units are one.
   */
  long firstReserve(long capacity, int unit) {
    if (!isLearned()) {
      return reserve * unit;
    }
    long first = Math.max(unit, capacity / FIRST_PART / unit * unit);
    return reserveHeader == null ? first : Math.min(first, maxReserve * unit);
  }

  /** The cost as sidecars compare it. */
  @Override
  public String toString() {
    return cost
        + " reserve "
        + (isLearned() ? "learn" : Long.toString(reserve))
        + (reserveHeader == null ? "" : " or " + reserveHeader + " up to " + maxReserve)
        + (missing == RESERVE ? "" : " missing " + missing);
  }
}
