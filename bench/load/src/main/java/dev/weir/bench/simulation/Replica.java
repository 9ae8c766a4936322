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
  private record Write(long atUs, Runnable change) {}

  /**
   * @param fresh budgets by key.
   */
  Replica(StoredBudgets[] fresh, long lagUs) {
    this.stored = fresh;
    this.lagUs = lagUs;
  }

  void lease(int key, long need, long want, long lifeUs, long cost, long atUs) {
    final long[] costs = {cost};
    add(atUs, () -> stored[key].lease(need, want, lifeUs, costs, atUs, grant));
  }

  void giveBack(int key, long units, long chargedAtUs, long lifeUs, long mark, long atUs) {
    final long[] cost = {1};
    final long[] marks = {mark};
    add(atUs, () -> stored[key].giveBack(units, chargedAtUs, lifeUs, cost, marks, atUs));
  }

  private void add(long atUs, Runnable change) {
    unseen.add(new Write(atUs, change));
    see(atUs);
  }

  private void see(long nowUs) {
    while (!unseen.isEmpty() && unseen.peek().atUs() <= nowUs - lagUs) {
      unseen.remove().change().run();
    }
  }

  /** Takes over: what it has not seen is lost. Returns its budgets by key. */
  StoredBudgets[] promote(long nowUs) {
    see(nowUs);
    unseen.clear();
    return stored;
  }
}
