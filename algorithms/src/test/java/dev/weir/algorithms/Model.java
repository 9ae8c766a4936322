package dev.weir.algorithms;

import java.math.BigInteger;

/**
 * The budget of one key under one limit, written from the definition of its algorithm: what was
 * admitted, and sums over it. Shares no code with the implementation, and does not care for time or
 * memory.
 */
abstract class Model {
  /** Units of a fresh key. */
  final long capacity;

  /** Units per token. */
  final long costScale;

  Model(long capacity, long costScale) {
    this.capacity = capacity;
    this.costScale = costScale;
  }

  /** Whether a request of this cost would be allowed. */
  abstract boolean passes(long cost, long nowNs);

  /** Units that count now. */
  abstract long current(long nowNs);

  /** Admits units that pass. */
  abstract void charge(long units, long nowNs);

  /** When the budget is whole again. */
  abstract long resetAtNs(long nowNs);

  /** Gives back units of an earlier charge. */
  abstract void refund(long units, long chargedAtNs, long nowNs);

  abstract void reset();

  /** A time after {@code nowNs} at which something comes back, or a window begins. */
  abstract long edgeNs(long nowNs);

  /** This model's state under the number of {@code to}; null if the windows are not the same. */
  abstract Model sameStateUnder(Model to);

  /** The largest cost that would pass. */
  long available(long nowNs) {
    return Math.max(capacity - current(nowNs), 0);
  }

  /** The wait that a request is told that passes now. */
  long waitNs(long nowNs) {
    return 0;
  }

  /** Admits units that are owed already, as far as they fit. */
  void owe(long units, long nowNs) {
    final long fitting = Math.min(units, available(nowNs));
    if (fitting > 0) {
      charge(fitting, nowNs);
    }
  }

  /**
   * The least wait after which a cost passes, found by asking: what passes once goes on passing if
   * nobody else comes, and everything passes when the budget is whole.
   */
  final long retryAfterNs(long cost, long nowNs) {
    if (cost > capacity) {
      return Decision.NEVER;
    }
    long refusedNs = -1;
    long passesNs = resetAtNs(nowNs) - nowNs;
    while (passesNs - refusedNs > 1) {
      final long middleNs = refusedNs + (passesNs - refusedNs) / 2;
      if (passes(cost, nowNs + middleNs)) {
        passesNs = middleNs;
      } else {
        refusedNs = middleNs;
      }
    }
    return passesNs;
  }

  /** The units that count here, in those of another limit, rounded up, at most its capacity. */
  final long consumedFor(Model to, long nowNs) {
    return ceilDiv(
            BigInteger.valueOf(current(nowNs)).multiply(BigInteger.valueOf(to.costScale)),
            BigInteger.valueOf(costScale))
        .min(BigInteger.valueOf(to.capacity))
        .longValueExact();
  }

  /**
   * The key under another limit: the same state, or what was consumed, charged now.
   *
   * @param to fresh.
   */
  final Model changedTo(Model to, long nowNs) {
    final Model same = sameStateUnder(to);
    if (same != null) {
      return same;
    }
    final long consumed = consumedFor(to, nowNs);
    if (consumed > 0) {
      to.charge(consumed, nowNs);
    } else if (this instanceof ModelBudget from && to instanceof ModelBudget budget) {
      budget.stateOf(from);
    }
    return to;
  }

  /** Moves what counts here to another key. */
  final void carryOver(Model to, long nowNs) {
    final long consumed = consumedFor(to, nowNs);
    if (consumed > 0) {
      reset();
      to.owe(consumed, nowNs);
    }
  }

  static BigInteger ceilDiv(BigInteger a, BigInteger b) {
    return a.add(b).subtract(BigInteger.ONE).divide(b);
  }
}
