package dev.weir.algorithms;

/**
 * Several limits of one identity that a request has to pass together, such as 10 per second and
 * 1,000 per hour: all of them are charged, or none is. Immutable; any thread.
 */
public final class LimitSet {
  /** The most limits in a set. */
  public static final int MAX_SIZE = 8;

  private static final int MAX_ATTEMPTS = 16;
  private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

  private final Limit[] limits;

  private LimitSet(Limit[] limits) {
    this.limits = limits;
  }

  /**
   * @param limits 1 to {@link #MAX_SIZE}, all of one cost scale.
   * @throws IllegalArgumentException naming the value and what was expected.
   */
  public static LimitSet of(Limit... limits) {
    Bounds.range("limits", limits.length, 1, MAX_SIZE);
    for (Limit limit : limits) {
      if (limit.costScale() != limits[0].costScale()) {
        throw new IllegalArgumentException(
            "costScale: "
                + limit.costScale()
                + " (expected: "
                + limits[0].costScale()
                + ", as the first limit has)");
      }
    }
    return new LimitSet(limits.clone());
  }

  public int size() {
    return limits.length;
  }

  public Limit limit(int index) {
    return limits[index];
  }

  /** The key under which the budget of one of the limits is kept; the first one's is unchanged. */
  public long key(long keyHash, int index) {
    return index == 0 ? keyHash : Limit.mix(keyHash + index * GOLDEN_GAMMA);
  }

  /**
   * Looks at all, then charges all. Where another thread takes a budget in between, what has been
   * charged is given back, so that others may see less than there is for a moment, and never more.
   */
  boolean check(LimitTable table, long keyHash, long cost, long nowNs, Decision out) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      final int refusing = refusing(table, keyHash, cost, nowNs, out);
      if (refusing >= 0) {
        table.peek(key(keyHash, refusing), limits[refusing], cost, nowNs, out);
        out.ofSet(refusing, 0);
        return false;
      }
      if (charge(table, keyHash, cost, nowNs, out)) {
        return true;
      }
    }
    table.giveUp(out);
    return false;
  }

  /** The limit with the longest wait, of those that refuse; -1 if none does. */
  private int refusing(LimitTable table, long keyHash, long cost, long nowNs, Decision out) {
    int refusing = -1;
    long longestNs = -1;
    for (int i = 0; i < limits.length; i++) {
      if (!table.peek(key(keyHash, i), limits[i], cost, nowNs, out)
          && out.retryAfterNs() > longestNs) {
        refusing = i;
        longestNs = out.retryAfterNs();
      }
    }
    return refusing;
  }

  private boolean charge(LimitTable table, long keyHash, long cost, long nowNs, Decision out) {
    final int tightest = tightest(table, keyHash, cost, nowNs, out);
    long longestWaitNs = 0;
    for (int i = 0; i < limits.length; i++) {
      // The one closest to exhaustion comes last: its decision is the answer.
      final int index = inOrder(i, tightest);
      if (!table.check(key(keyHash, index), limits[index], cost, nowNs, out)) {
        for (int j = 0; j < i; j++) {
          final int charged = inOrder(j, tightest);
          table.refund(key(keyHash, charged), limits[charged], cost, nowNs, nowNs);
        }
        return false;
      }
      longestWaitNs = Math.max(longestWaitNs, out.waitNs());
    }
    out.ofSet(tightest, longestWaitNs);
    return true;
  }

  private int inOrder(int place, int last) {
    if (place == limits.length - 1) {
      return last;
    }
    return place < last ? place : place + 1;
  }

  /** The limit with the smallest share of its budget left. */
  private int tightest(LimitTable table, long keyHash, long cost, long nowNs, Decision out) {
    int tightest = 0;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < limits.length; i++) {
      table.peek(key(keyHash, i), limits[i], cost, nowNs, out);
      final double share = (double) (out.remaining() - cost) / limits[i].capacity();
      if (share < least) {
        least = share;
        tightest = i;
      }
    }
    return tightest;
  }
}
