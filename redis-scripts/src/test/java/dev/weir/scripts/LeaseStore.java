package dev.weir.scripts;

import dev.weir.algorithms.store.LeaseGrant;
import dev.weir.algorithms.store.StoredBudget;
import dev.weir.algorithms.store.StoredBudgets;
import java.io.IOException;
import java.util.Collections;
import java.util.List;

/** A store that grants leases of one identity in a search, under the limits it is made for. */
interface LeaseStore {
  /** A grant, and what a refund has to say of it. */
  record Lease(
      long granted,
      long kept,
      long lifeUs,
      long atUs,
      long limitIndex,
      long remaining,
      long resetAtUs,
      long retryAfterUs,
      List<Long> keptMarks,
      List<Long> grantedMarks) {
    /** Asks in the same way, but a refund of it has no mark. */
    Lease unmarked() {
      final List<Long> none = Collections.nCopies(keptMarks.size(), StoredBudget.NO_MARK);
      return new Lease(
          granted, kept, lifeUs, atUs, limitIndex, remaining, resetAtUs, retryAfterUs, none, none);
    }
  }

  Lease lease(long requests, long keep, long lifeUs, long[] costs, long nowUs) throws IOException;

  /** Returns whether anything came back. */
  boolean giveBack(
      long requests, long atUs, long lifeUs, long[] costs, List<Long> marks, long nowUs)
      throws IOException;

  /** The twin of the script. */
  static LeaseStore of(StoredBudgets budgets, int limits) {
    final LeaseGrant grant = new LeaseGrant(limits);
    return new LeaseStore() {
      @Override
      public Lease lease(long requests, long keep, long lifeUs, long[] costs, long nowUs) {
        budgets.lease(requests, keep, lifeUs, costs, nowUs, grant);
        final Long[] kept = new Long[limits];
        final Long[] granted = new Long[limits];
        for (int i = 0; i < limits; i++) {
          kept[i] = grant.keptMark(i);
          granted[i] = grant.grantedMark(i);
        }
        return new Lease(
            grant.granted(),
            grant.kept(),
            grant.lifeUs(),
            grant.decidedAtUs(),
            grant.limitIndex(),
            grant.remaining(),
            grant.resetAtUs(),
            grant.retryAfterUs(),
            List.of(kept),
            List.of(granted));
      }

      @Override
      public boolean giveBack(
          long requests, long atUs, long lifeUs, long[] costs, List<Long> marks, long nowUs) {
        final long[] of = marks.stream().mapToLong(Long::longValue).toArray();
        return budgets.giveBack(requests, atUs, lifeUs, costs, of, nowUs);
      }
    };
  }
}
