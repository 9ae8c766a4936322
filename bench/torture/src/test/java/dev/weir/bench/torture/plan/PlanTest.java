package dev.weir.bench.torture.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class PlanTest {
  private static final long LASTS_MS = 20_000;

  private static final List<String> FEATURES =
      List.of(
          "EVERYWHERE",
          "everywhere: false",
          "header: x-cost",
          "enforce: 0%",
          "enforce: 50%",
          "idempotency: true",
          "warn-at: ",
          "key: all",
          "key: who",
          "key: pair",
          "name: n0",
          "cost: 2,",
          "cost: 1.",
          "ban: {after: ",
          "concurrency: 2, key",
          "refusal: {headers: ",
          "dry-run: true");

  @Test
  void aSeedRepeatsAllDecisions() {
    for (long seed = 0; seed < 100; seed++) {
      assertEquals(Plan.draw(seed, LASTS_MS, false), Plan.draw(seed, LASTS_MS, false));
    }
  }

  @Test
  void anOptionOfARuleChangesNoOther() {
    final RefusalPlan own = new RefusalPlan(3, true);
    final RuleOptions first =
        RuleOptions.NONE.withRefusal(own).withConcurrency(2).withDryRun(true).withEverywhere(true);
    final RuleOptions last =
        RuleOptions.NONE.withEnforcePercent(50).withIdempotency(true).withEverywhere(true);
    assertEquals(
        last.withDryRun(true).withConcurrency(2).withRefusal(own),
        first.withIdempotency(true).withEnforcePercent(50));
  }

  @Test
  void drawsEachKindOfEverything() {
    final Set<FaultPlan.Kind> faults = EnumSet.noneOf(FaultPlan.Kind.class);
    final Set<AttackPlan.Kind> attacks = EnumSet.noneOf(AttackPlan.Kind.class);
    final Set<ClientPlan.Kind> clients = EnumSet.noneOf(ClientPlan.Kind.class);
    final Set<ClientPlan.Kind> encrypted = EnumSet.noneOf(ClientPlan.Kind.class);
    final Set<Condition> conditions = EnumSet.noneOf(Condition.class);
    final Set<String> features = new TreeSet<>();
    final Set<Plan.StoreKind> stores = EnumSet.noneOf(Plan.StoreKind.class);
    for (long seed = 0; seed < 200; seed++) {
      final Plan plan = Plan.draw(seed, LASTS_MS, seed % 2 == 0);
      plan.faults().forEach(fault -> faults.add(fault.kind()));
      plan.attacks().forEach(attack -> attacks.add(attack.kind()));
      plan.clients().forEach(client -> clients.add(client.kind()));
      plan.clients().stream()
          .filter(ClientPlan::tls)
          .forEach(client -> encrypted.add(client.kind()));
      stores.add(plan.store());
      for (RulePlan rule : plan.rules()) {
        conditions.addAll(rule.options().conditions());
        FEATURES.stream().filter(rule.text()::contains).forEach(features::add);
      }
    }
    assertEquals(EnumSet.allOf(FaultPlan.Kind.class), faults);
    assertEquals(EnumSet.allOf(Condition.class), conditions);
    assertEquals(new TreeSet<>(FEATURES), features);
    assertEquals(EnumSet.allOf(AttackPlan.Kind.class), attacks);
    assertEquals(EnumSet.allOf(ClientPlan.Kind.class), clients);
    assertEquals(EnumSet.allOf(Plan.StoreKind.class), stores);
    final Set<ClientPlan.Kind> proxied = EnumSet.allOf(ClientPlan.Kind.class);
    proxied.removeIf(kind -> !kind.isProxied());
    assertEquals(proxied, encrypted);
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
            assertTrue(limit.count() >= rule.units(limit, 0), rule.text());
            assertTrue(limit.atOnce() >= rule.units(limit, 0), rule.text());
          }
        }
        rules = RuleChange.apply(rules, (int) seed * 4 + change, true);
      }
    }
  }
}
