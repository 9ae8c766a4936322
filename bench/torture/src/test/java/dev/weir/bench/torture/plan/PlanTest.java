package dev.weir.bench.torture.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PlanTest {
  private static final long LASTS_MS = 20_000;

  @Test
  void aSeedRepeatsAllDecisions() {
    for (long seed = 0; seed < 100; seed++) {
      assertEquals(Plan.draw(seed, LASTS_MS, false), Plan.draw(seed, LASTS_MS, false));
    }
  }

  @Test
  void drawsEachKindOfEverything() {
    final Set<FaultPlan.Kind> faults = EnumSet.noneOf(FaultPlan.Kind.class);
    final Set<AttackPlan.Kind> attacks = EnumSet.noneOf(AttackPlan.Kind.class);
    final Set<ClientPlan.Kind> clients = EnumSet.noneOf(ClientPlan.Kind.class);
    final Set<Plan.StoreKind> stores = EnumSet.noneOf(Plan.StoreKind.class);
    for (long seed = 0; seed < 200; seed++) {
      final Plan plan = Plan.draw(seed, LASTS_MS, seed % 2 == 0);
      plan.faults().forEach(fault -> faults.add(fault.kind()));
      plan.attacks().forEach(attack -> attacks.add(attack.kind()));
      plan.clients().forEach(client -> clients.add(client.kind()));
      stores.add(plan.store());
    }
    assertEquals(EnumSet.allOf(FaultPlan.Kind.class), faults);
    assertEquals(EnumSet.allOf(AttackPlan.Kind.class), attacks);
    assertEquals(EnumSet.allOf(ClientPlan.Kind.class), clients);
    assertEquals(EnumSet.allOf(Plan.StoreKind.class), stores);
  }

  @Test
  void leavesOutOnePartAndKeepsTheRest() {
    final Plan plan = Plan.draw(7, LASTS_MS, false);
    for (String part : plan.parts()) {
      final Plan less = plan.without(part);
      assertFalse(less.parts().contains(part));
      assertTrue(plan.parts().containsAll(less.parts()), part);
      assertTrue(less.parts().size() < plan.parts().size());
    }
  }

  @Test
  void everyFaultIsOverBeforeTheQuietEnd() {
    for (long seed = 0; seed < 200; seed++) {
      for (FaultPlan fault : Plan.draw(seed, LASTS_MS, false).faults()) {
        assertTrue(fault.atMs() >= 0);
        assertTrue(fault.atMs() + fault.lastsMs() <= LASTS_MS - Plan.QUIET_MS, fault.toString());
      }
    }
  }

  @Test
  void aRequestNeverCostsMoreThanItsLimits() {
    for (long seed = 0; seed < 200; seed++) {
      List<RulePlan> rules = Plan.draw(seed, LASTS_MS, false).rules();
      for (int change = 0; change < 4; change++) {
        for (RulePlan rule : rules) {
          for (LimitPlan limit : rule.limits()) {
            assertTrue(limit.count() >= rule.cost(), rule.yaml());
            if (limit.algorithm().promise() == Algorithm.Promise.PACED) {
              assertTrue(limit.burst() >= rule.cost(), rule.yaml());
            }
          }
        }
        rules = RuleChange.apply(rules, (int) seed * 4 + change, true);
      }
    }
  }
}
