package dev.weir.algorithms.store;

/**
 * The budgets of one identity under its limits, in the order of those: all of them admit a request,
 * or none does. Decides as the script's lease does, and as its check if nothing is to be kept.
 * Owned by one thread.
 */
public final class StoredBudgets {
  /** The part of what is free that one lease may keep: so the last units are granted one by one. */
  private static final int SHARE = 4;

  private final StoredBudget[] budgets;
  private final long[] free;

  public StoredBudgets(StoredBudget... budgets) {
    this.budgets = budgets.clone();
    free = new long[budgets.length];
  }

  /**
   * Grants requests for now, as many as fit, and if all of them do, keeps further ones.
   *
   * @param requests for now, 0 or more.
   * @param keep the most to keep, 0 or more.
   * @param lifeUs how long at most, 1 or more.
   * @param costs by limit, units that each request takes; 1 or more.
   */
  public void lease(
      long requests, long keep, long lifeUs, long[] costs, long nowUs, LeaseGrant out) {
    long granted = requests;
    for (int i = 0; i < budgets.length; i++) {
      budgets[i].arrive(nowUs);
      free[i] = budgets[i].available(nowUs);
      granted = Math.min(granted, free[i] / costs[i]);
    }
    out.granted = granted;
    out.kept = 0;
    out.lifeUs = 0;
    out.decidedAtUs = nowUs;
    for (int i = 0; i < budgets.length && granted > 0; i++) {
      budgets[i].charge(nowUs, granted * costs[i]);
    }
    if (granted == requests && keep > 0) {
      keepable(keep, lifeUs, costs, nowUs, out);
    }
    for (int i = 0; i < budgets.length; i++) {
      if (out.kept > 0) {
        budgets[i].keep(nowUs, out.kept * costs[i], out.lifeUs);
      }
      out.marks[i] = StoredBudget.NO_MARK;
      out.costs[i] = costs[i];
      if (granted + out.kept > 0) {
        budgets[i].commit(nowUs);
        out.marks[i] = budgets[i].mark();
        free[i] = budgets[i].available(nowUs);
      } else if (budgets[i].isClamped()) {
        budgets[i].commit(nowUs);
      }
    }
    tell(requests, costs, nowUs, out);
  }

  private void keepable(long keep, long lifeUs, long[] costs, long nowUs, LeaseGrant out) {
    long life = lifeUs;
    for (StoredBudget budget : budgets) {
      life = Math.min(life, budget.longestLifeUs(nowUs));
    }
    if (life == 0) {
      return;
    }
    long kept = StoredBudget.ceilDiv(keep * life, lifeUs);
    for (int i = 0; i < budgets.length; i++) {
      kept = Math.min(kept, budgets[i].lendable(nowUs, life) / SHARE / costs[i]);
    }
    out.kept = kept;
    out.lifeUs = kept > 0 ? life : 0;
  }

  private void tell(long requests, long[] costs, long nowUs, LeaseGrant out) {
    int chosen = 0;
    long longest = -2;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < budgets.length; i++) {
      if (out.granted < requests && free[i] < costs[i]) {
        final long retry = retryAfterUs(budgets[i], costs[i], nowUs);
        if (retry > longest) {
          chosen = i;
          longest = retry;
        }
      } else if (longest == -2 && (double) free[i] / budgets[i].capacity() < least) {
        chosen = i;
        least = (double) free[i] / budgets[i].capacity();
      }
    }
    out.limitIndex = chosen;
    out.remaining = free[chosen];
    out.capacity = budgets[chosen].capacity();
    out.resetAtUs = budgets[chosen].resetAtUs(nowUs);
    out.retryAfterUs = longest == Long.MAX_VALUE ? LeaseGrant.NEVER : Math.max(longest, 0);
  }

  private static long retryAfterUs(StoredBudget budget, long cost, long nowUs) {
    final long room = budget.capacity() - cost;
    return room < 0 ? Long.MAX_VALUE : budget.drainedUs(nowUs, room);
  }

  /**
   * Gives back at most what a charge of requests still occupies, of each limit by itself.
   *
   * @param lifeUs for how long they were kept; 0 if they were to be used at once.
   * @param marks by limit, {@link LeaseGrant#keptMark} or {@link LeaseGrant#grantedMark}.
   * @return whether anything came back.
   */
  public boolean giveBack(
      long requests, long chargedAtUs, long lifeUs, long[] costs, long[] marks, long nowUs) {
    boolean isAny = false;
    for (int i = 0; i < budgets.length; i++) {
      budgets[i].arrive(nowUs);
      final long units = requests * costs[i];
      if (budgets[i].giveBack(nowUs, units, chargedAtUs, lifeUs, marks[i])) {
        budgets[i].commit(nowUs);
        isAny = true;
      }
    }
    return isAny;
  }
}
