package dev.weir.algorithms;

/**
 * Grants of a part, as the script makes them, by a look and a charge: while nobody else charges.
 */
final class Grants {
  private Grants() {}

  /** Charges as many of some units as are left, and returns how many those are. */
  static long upTo(LimitTable table, long key, Limit limit, long wanted, long nowNs, Decision out) {
    if (!table.peek(key, limit, 1, nowNs, out)) {
      return 0;
    }
    table.check(key, limit, Math.min(wanted, out.remaining()), nowNs, out);
    return out.granted();
  }
}
