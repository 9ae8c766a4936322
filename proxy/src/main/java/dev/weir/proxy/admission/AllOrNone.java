package dev.weir.proxy.admission;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.rule.RuleSpec;

/**
 * The budgets of one request in this node's tables, whatever the keys and the tables: all of them
 * are charged, or none is. It looks at all before it charges any. Where another thread takes one of
 * them in between, what has been charged is given back: others may see less than there is for a
 * moment, and never more.
 *
 * <p>Filled anew for each request. One per event loop.
 */
final class AllOrNone {
  private static final int MAX_ATTEMPTS = 16;

  private final LimitTables tables;
  private final long[] keys = new long[RuleSpec.MAX_BUDGETS];
  private final Limit[] limits = new Limit[RuleSpec.MAX_BUDGETS];
  private final LimitTable[] places = new LimitTable[RuleSpec.MAX_BUDGETS];
  private final QuotaPolicy[] policies = new QuotaPolicy[RuleSpec.MAX_BUDGETS];
  private int size;

  /** Which budget the answer is about. */
  private int chosen;

  AllOrNone(LimitTables tables) {
    this.tables = tables;
  }

  void clear() {
    size = 0;
    chosen = 0;
  }

  /** One more budget, of which no other has the key. */
  void add(long key, Limit limit, QuotaPolicy policy) {
    keys[size] = key;
    limits[size] = limit;
    places[size] = tables.of(limit);
    policies[size++] = policy;
  }

  /**
   * Charges {@code cost} units of each budget, or nothing.
   *
   * @param out about the budget with the smallest share left if it was allowed, and about the one
   *     with the longest wait if not; {@link Decision#moved()} if one is not where it was, and then
   *     none is charged.
   */
  boolean check(long cost, long nowNs, Decision out) {
    chosen = 0;
    if (size == 1) {
      return places[0].check(keys[0], limits[0], cost, nowNs, out);
    }
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (!wouldPass(cost, nowNs, out)) {
        // The budget that was chosen is not the one that was looked at last, and may have changed.
        places[chosen].peek(keys[chosen], limits[chosen], cost, nowNs, out);
        if (!out.allowed()) {
          return false;
        }
      } else if (charge(cost, nowNs, out)) {
        return true;
      }
    }
    return false;
  }

  /** Chooses the budget that the answer will be about. */
  private boolean wouldPass(long cost, long nowNs, Decision out) {
    boolean passes = true;
    long longestNs = -1;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < size; i++) {
      if (!places[i].peek(keys[i], limits[i], cost, nowNs, out)) {
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
        double share = (double) (out.remaining() - cost) / limits[i].capacity();
        if (share < least) {
          least = share;
          chosen = i;
        }
      }
    }
    return passes;
  }

  private boolean charge(long cost, long nowNs, Decision out) {
    int last = chosen;
    for (int i = 0; i < size; i++) {
      // The one that the answer is about comes last, so that its decision stands.
      int at = inOrder(i, last);
      if (!places[at].check(keys[at], limits[at], cost, nowNs, out)) {
        for (int j = 0; j < i; j++) {
          int charged = inOrder(j, last);
          places[charged].refund(keys[charged], limits[charged], cost, nowNs, nowNs);
        }
        chosen = at;
        return false;
      }
    }
    return true;
  }

  /** Keeps the budgets that have been charged. */
  void keep(Charge into) {
    for (int i = 0; i < size; i++) {
      into.add(keys[i], limits[i]);
    }
  }

  private int inOrder(int place, int last) {
    if (place == size - 1) {
      return last;
    }
    return place < last ? place : place + 1;
  }

  /** What clients are told of the budget that the answer is about. */
  QuotaPolicy policy() {
    return policies[chosen];
  }

  /** Units of a fresh key of the budget that the answer is about. */
  long capacity() {
    return limits[chosen].capacity();
  }
}
