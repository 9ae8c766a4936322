package dev.weir.proxy.envoy.call;

import dev.weir.proxy.envoy.file.Budgets;
import dev.weir.proxy.envoy.file.LimitUnit;
import dev.weir.proxy.envoy.file.NodeLimit;
import dev.weir.proxy.metrics.DescriptorCounters;
import dev.weir.proxy.metrics.DescriptorCounters.Outcome;

/**
 * Turns what came of a call's charges into the statuses of its descriptors, as envoyproxy/ratelimit
 * words them, and counts their hits as it does. One per event loop; allocates nothing.
 */
final class VerdictWriter {
  private static final long NS_PER_SECOND = 1_000_000_000;

  /** From this part of a limit on a hit is near it. */
  private static final float NEAR = 0.8f;

  private final boolean areQuotas;

  /**
   * @param areQuotas whether each limit is one that refuses only if all of its call do.
   */
  VerdictWriter(boolean areQuotas) {
    this.areQuotas = areQuotas;
  }

  /** Takes the limits away that others of the same call replace: they are not looked at. */
  void replace(RateLimitVerdict verdict) {
    for (int i = 0; i < verdict.count(); i++) {
      NodeLimit limit = verdict.limit(i);
      if (limit == null || limit.spec().name().isEmpty()) {
        continue;
      }
      for (int j = 0; j < verdict.count(); j++) {
        if (verdict.isReplacedBy(i, j)) {
          verdict.replaced(i);
          break;
        }
      }
    }
  }

  /**
   * Whether a call as a whole is over: one of its limits is, or all of those that are quotas are.
   * Where all are quotas, a descriptor without a limit is one that is not over.
   */
  boolean isOverLimit(PendingCall call) {
    int quotas = 0;
    int quotasOver = 0;
    for (int i = 0; i < call.charges.count(); i++) {
      NodeLimit limit = call.verdict.limit(call.charges.descriptor(i));
      boolean refuses = isOver(call, i) && !isShadow(limit);
      if (areQuotas || limit != null && limit.spec().isQuota()) {
        quotas++;
        quotasOver += refuses ? 1 : 0;
      } else if (refuses) {
        return true;
      }
    }
    return quotas > 0 && quotasOver == quotas && !(areQuotas && hasOneWithoutLimit(call.verdict));
  }

  private static boolean hasOneWithoutLimit(RateLimitVerdict verdict) {
    for (int i = 0; i < verdict.count(); i++) {
      if (verdict.unit(i) == null && verdict.remaining(i) != RateLimitVerdict.UNLIMITED) {
        return true;
      }
    }
    return false;
  }

  /** Writes the status of each descriptor that was charged, and counts its hits. */
  void write(PendingCall call, long unixNs) {
    CallCharges charges = call.charges;
    for (int i = 0; i < charges.count(); i++) {
      int descriptor = charges.descriptor(i);
      Budgets budgets = charges.budgets(i);
      LimitUnit unit = call.verdict.unit(descriptor);
      long capacity = capacity(call, i);
      boolean isOver = isOver(call, i);
      boolean isShadow = isShadow(call.verdict.limit(descriptor));
      count(call.counters(i), charges.hits(i), charges.used(i), capacity, isOver, budgets);
      if (isOver && isShadow) {
        call.counters(i).add(Outcome.SHADOW_MODE, charges.hits(i));
      }
      long left = isOver ? 0 : Math.max(0, capacity - charges.used(i));
      long resetNs = charges.resetNs(i);
      if (budgets.countsAll()) {
        // What this node or the store says of a count that is 0 is that it need not be reset.
        resetNs =
            resetNs == 0 || !budgets.isExact()
                ? unit.secondsLeft(unixNs) * NS_PER_SECOND
                : (resetNs + NS_PER_SECOND - 1) / NS_PER_SECOND * NS_PER_SECOND;
      }
      call.verdict.status(descriptor, isOver && !isShadow, left, resetNs);
    }
  }

  private static boolean isShadow(NodeLimit limit) {
    return limit != null && limit.spec().isShadow();
  }

  private static long capacity(PendingCall call, int charge) {
    Budgets budgets = call.charges.budgets(charge);
    if (budgets.countsAll()) {
      return call.verdict.requestsPerUnit(call.charges.descriptor(charge));
    }
    return budgets.isExact() ? budgets.storeLimit().capacity() : budgets.limit().capacity();
  }

  private static boolean isOver(PendingCall call, int charge) {
    CallCharges charges = call.charges;
    if (!charges.budgets(charge).countsAll()) {
      return !charges.isGranted(charge);
    }
    // What is not granted has filled the highest count that there is.
    return charges.used(charge) > capacity(call, charge) || !charges.isGranted(charge);
  }

  /**
   * Counts hits.
   *
   * @param used units that count, with these hits if they were taken.
   */
  private static void count(
      DescriptorCounters counters,
      long hits,
      long used,
      long capacity,
      boolean isOver,
      Budgets budgets) {
    long near = (long) Math.floor((float) capacity * NEAR);
    counters.add(Outcome.TOTAL_HITS, hits);
    long before = isOver && !budgets.countsAll() ? used : used - hits;
    long after = before + hits;
    if (!isOver) {
      counters.add(Outcome.WITHIN_LIMIT, hits);
      if (after > near) {
        counters.add(Outcome.NEAR_LIMIT, before >= near ? hits : after - near);
      }
    } else if (before >= capacity || !budgets.countsAll()) {
      counters.add(Outcome.OVER_LIMIT, hits);
    } else {
      counters.add(Outcome.OVER_LIMIT, after - capacity);
      counters.add(Outcome.NEAR_LIMIT, capacity - Math.max(near, before));
    }
  }
}
