package dev.weir.bench.simulation;

import dev.weir.algorithms.store.LeaseGrant;
import dev.weir.algorithms.store.StoredBudgets;
import java.util.ArrayDeque;

/** A server that sees what another one was asked so much later, until it takes its place. */
final class Replica {
  private final StoredBudgets[] stored;
  private final long lagUs;
  private final ArrayDeque<Write> unseen = new ArrayDeque<>();
  private final LeaseGrant grant = new LeaseGrant(1);

  /** A lease, or what is given back. */
  private interface Write {
    void apply();

    long atUs();
  }

  private record Lease(Replica to, int key, long need, long want, long lifeUs, long cost, long atUs)
      implements Write {
    @Override
    public void apply() {
      to.stored[key].lease(need, want, lifeUs, new long[] {cost}, atUs, to.grant);
    }
  }

  private record GiveBack(
      Replica to, int key, long units, long chargedAtUs, long lifeUs, long mark, long atUs)
      implements Write {
    @Override
    public void apply() {
      long[] cost = {1};
      to.stored[key].giveBack(units, chargedAtUs, lifeUs, cost, new long[] {mark}, atUs);
    }
  }

  /**
   * @param fresh budgets by key.
   */
  Replica(StoredBudgets[] fresh, long lagUs) {
    this.stored = fresh;
    this.lagUs = lagUs;
  }

  void lease(int key, long need, long want, long lifeUs, long cost, long atUs) {
    add(new Lease(this, key, need, want, lifeUs, cost, atUs));
  }

  void giveBack(int key, long units, long chargedAtUs, long lifeUs, long mark, long atUs) {
    add(new GiveBack(this, key, units, chargedAtUs, lifeUs, mark, atUs));
  }

  private void add(Write write) {
    unseen.add(write);
    see(write.atUs());
  }

  private void see(long nowUs) {
    while (!unseen.isEmpty() && unseen.peek().atUs() <= nowUs - lagUs) {
      unseen.remove().apply();
    }
  }

  /** Takes over: what it has not seen is lost. Returns its budgets by key. */
  StoredBudgets[] promote(long nowUs) {
    see(nowUs);
    unseen.clear();
    return stored;
  }
}
