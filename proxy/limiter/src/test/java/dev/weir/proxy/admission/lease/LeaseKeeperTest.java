package dev.weir.proxy.admission.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.lease.LeaseTable;
import dev.weir.algorithms.lease.LeaseTerms;
import dev.weir.algorithms.lease.Taken;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeaseKeeperTest {
  private static final long DEADLINE_NS = 5_000_000;
  private static final long END_NS = 1_000_000_000;

  private final Metrics metrics = new Metrics();

  /** Another event loop has ended one of two leases in between. */
  @Test
  void unitsOfARefusedRequestAreLostWhereTheirLeaseHasEnded() {
    metrics.exposeStore();
    LoopMetrics loop = metrics.newLoop();
    ModelServer server = new ModelServer(1);
    try (ModelStore store =
            new ModelStore(List.of(server), List.of(), false, loop.store(), DEADLINE_NS);
        SharedLeases shared = new SharedLeases(64)) {
      LeaseKeeper keeper =
          new LeaseKeeper(shared, store.store(), DEADLINE_NS, store.clock(), loop.leases());
      Taken[] taken = {take(keeper, 1, 3), take(keeper, 2, 4)};
      LeaseTable table = keeper.table();
      long ended = table.lease(taken[0].hand(), 0);
      assertEquals(7, table.takeOut(taken[0].hand(), 0, ended));
      table.free(taken[0].hand(), 0);
      keeper.putBack(taken, 0b11);
      assertTrue(
          new String(metrics.expose(null).body(), StandardCharsets.UTF_8)
              .contains("weir_store_lease_units_died_total 3.0"));
      assertEquals(10, table.usable(2, 1));
    }
  }

  @Test
  void requestsNoMoreThanSoManyLeasesAtOneTime() {
    LoopMetrics loop = metrics.newLoop();
    ModelServer server = new ModelServer(1);
    try (ModelStore store =
            new ModelStore(List.of(server), List.of(), false, loop.store(), DEADLINE_NS);
        SharedLeases shared = new SharedLeases(1 << 12)) {
      LeaseKeeper keeper =
          new LeaseKeeper(shared, store.store(), DEADLINE_NS, store.clock(), loop.leases());
      BudgetGroup group = leased();
      LeaseAsk first = begin(keeper, 1, group);
      for (int key = 2; key <= LeaseKeeper.MAX_ASKS; key++) {
        assertNotNull(begin(keeper, key, group), "key " + key);
      }
      assertNull(begin(keeper, LeaseKeeper.MAX_ASKS + 1, group));
      first.unsent();
      assertNotNull(begin(keeper, LeaseKeeper.MAX_ASKS + 1, group));
    }
  }

  private static BudgetGroup leased() {
    RuleSpec rule =
        RuleSpec.builder("r")
            .limits(List.of(new BudgetSpec.Builder().rate(Rate.parse("100000/1h"))))
            .mode(Mode.LEASED)
            .build();
    return RuleSet.compile(List.of(rule), false, RuleSet.EMPTY, 0).rules().get(0).group(0);
  }

  /** Requests a lease for a key with demand; null if none may be requested. */
  private static LeaseAsk begin(LeaseKeeper keeper, long key, BudgetGroup group) {
    int hand = 0;
    for (int i = 0; i < 100; i++) {
      hand = keeper.leasing().arrived(key, group.leaseTerms(), 1 + i * 1_000_000L);
    }
    return keeper.begin(hand, key, group, 1, 100_000_000L);
  }

  /** Takes units of a lease of ten. */
  private static Taken take(LeaseKeeper keeper, long key, long units) {
    LeaseTerms terms = new LeaseTerms(END_NS, true);
    int hand = keeper.leasing().arrived(key, terms, 1);
    int place = keeper.table().reserve(hand, key);
    keeper.table().publish(hand, place, 10, END_NS);
    Taken taken = new Taken();
    assertTrue(keeper.table().take(hand, key, units, 1, taken));
    return taken;
  }
}
