package dev.weir.proxy.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.CostAtEnd;
import dev.weir.proxy.rule.spec.CostSpec;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Limits of which requests hold units until they end. */
class HeldRuleTest {
  private static final ReportedCost TOKENS = ReportedCost.ofTrailer(FieldName.of("x-tokens"));
  private static final ReportedCost BYTES = ReportedCost.ofResponseBytes(1 << 10);

  private static RuleSpec rule(Consumer<RuleSpec.Builder> change) {
    RuleSpec.Builder builder = RuleSpec.builder("r");
    change.accept(builder);
    return builder.build();
  }

  private static BudgetSpec.Builder limit(String name, String rate) {
    return new BudgetSpec.Builder().name(name).rate(Rate.parse(rate));
  }

  private static CostSpec atEnd(ReportedCost cost) {
    return CostSpec.ofReported(CostAtEnd.of(cost));
  }

  private static RuleSet set(RuleSet previous, RuleSpec everywhere, RuleSpec... rules) {
    return RuleSet.compile(List.of(rules), everywhere, false, previous, 0, 0);
  }

  private static Rule compile(RuleSpec rule) {
    return set(RuleSet.EMPTY, null, rule).rules().get(0);
  }

  private static String storeName(Budget budget) {
    return new String(budget.storeName(), StandardCharsets.US_ASCII);
  }

  @Test
  void holdsWhereRequestsInFlightAreLimited() {
    Rule rule = compile(rule(b -> b.concurrency(4)));
    assertTrue(rule.holds());
    assertNull(rule.reportedCosts());
    Budget budget = rule.budgets().get(0);
    assertTrue(budget.holds());
    assertEquals(4, budget.spec().concurrency());
    assertEquals(4, budget.limit().capacity());
    assertEquals(1, budget.reserve());
    assertEquals("concurrency", budget.spec().name());
    assertEquals("r", budget.policy().name());
    assertFalse(compile(rule(b -> b.rate(Rate.parse("1/1s")))).holds());
  }

  /** The one limit of a rule keeps its names when slots are put beside it, and its counts. */
  @Test
  void slotsStandBesideTheOneLimitOfARule() {
    RuleSpec before = rule(b -> b.rate(Rate.parse("100/1m")));
    RuleSpec after = rule(b -> b.rate(Rate.parse("100/1m")).concurrency(3).cost(5));
    RuleSet first = set(RuleSet.EMPTY, null, before);
    List<Budget> budgets = set(first, null, after).rules().get(0).budgets();
    assertEquals(2, budgets.size());
    assertEquals(List.of("r", "r-concurrency"), names(budgets));
    assertEquals("r", storeName(budgets.get(0)));
    assertEquals("r/concurrency", storeName(budgets.get(1)));
    assertEquals(5, budgets.get(0).cost());
    assertEquals(1, budgets.get(1).cost(), "one slot, whatever the cost");
    assertEquals(first.rules().get(0).budgets().get(0).seed(), budgets.get(0).seed());
    assertNull(budgets.get(1).past(), "a rate's counts are no slots");
  }

  private static List<String> names(List<Budget> budgets) {
    return budgets.stream().map(budget -> budget.policy().name()).toList();
  }

  @Test
  void anotherNumberOfSlotsIsTheSameBudget() {
    RuleSet first = set(RuleSet.EMPTY, null, rule(b -> b.concurrency(4)));
    RuleSet second = set(first, null, rule(b -> b.concurrency(5)));
    Budget before = first.rules().get(0).budgets().get(0);
    Budget after = second.rules().get(0).budgets().get(0);
    assertEquals(before.seed(), after.seed());
    assertEquals(5, after.limit().capacity());
  }

  @Test
  void readsEachCostOnceWhateverTheNumberOfItsLimits() {
    Rule rule =
        compile(
            rule(
                b ->
                    b.cost(atEnd(TOKENS))
                        .limits(
                            List.of(
                                limit("rpm", "60/1m").cost(1),
                                limit("tpm", "20k/1m"),
                                limit("bytes", "1M/1d").cost(atEnd(BYTES)),
                                limit("tpd", "1M/1d"),
                                new BudgetSpec.Builder().name("running").concurrency(4)))));
    assertEquals(List.of(TOKENS, BYTES), List.of(rule.reportedCosts()));
    int[] places = {Rule.NOT_REPORTED, 0, 1, 0, Rule.NOT_REPORTED};
    for (int charge = 0; charge < places.length; charge++) {
      assertEquals(places[charge], rule.reportedCost(charge), "charge " + charge);
    }
    assertTrue(rule.hasCosts());
  }

  @Test
  void knowsTheCostsOfLimitsOfAllRequests() {
    RuleSpec everywhere =
        RuleSpec.ofEverywhere(List.of(limit("all", "1M/1d").key(KeySpec.ALL).cost(atEnd(BYTES))));
    RuleSpec own = rule(b -> b.rate(Rate.parse("20k/1m")).cost(atEnd(TOKENS)));
    Rule rule = set(RuleSet.EMPTY, everywhere, own).rules().get(0);
    assertEquals(List.of(TOKENS, BYTES), List.of(rule.reportedCosts()));
    assertEquals(1, rule.reportedCost(1));
    Rule alone = rule.without(1);
    assertEquals(List.of(TOKENS, BYTES), List.of(alone.reportedCosts()), "as the whole rule has");
    assertEquals(1, alone.reportedCost(0));
  }

  @Test
  void reservesAsWrittenOrASixteenthAtFirst() {
    CostAtEnd cost = CostAtEnd.of(TOKENS);
    assertEquals(1_250, reserve("20k/1m", cost));
    assertEquals(4_000, reserve("20k/1m", cost.reserving(4_000)));
    assertEquals(1, reserve("5/1m", cost), "one at least");
    KeyPart header = KeyPart.parse("header:x-max");
    assertEquals(1_000, reserve("20k/1m", cost.reservingByHeader(header, 1_000)));
    assertEquals(1_250, reserve("20k/1m", cost.reservingByHeader(header, 2_000)));
    assertEquals(
        1, reserve("100/1m", CostAtEnd.of(ReportedCost.ofStatus(List.of(401), List.of()))));
  }

  private static long reserve(String rate, CostAtEnd cost) {
    Rule rule = compile(rule(b -> b.rate(Rate.parse(rate)).cost(CostSpec.ofReported(cost))));
    return rule.budgets().get(0).reserve();
  }

  @Test
  void leasesUnitsThatAreHeldIfAllLimitsHoldThemByOneKey() {
    RuleSpec leased =
        rule(b -> b.rate(Rate.parse("9/1m")).cost(atEnd(TOKENS)).concurrency(2).mode(Mode.LEASED));
    Rule rule = compile(leased);
    assertEquals(Mode.LEASED, rule.group(0).mode());
    assertTrue(rule.isLeased());
    assertEquals(leased, rule.spec());
  }

  @Test
  void asksTheStoreInsteadOfLeasingBesideALimitThatIsChargedAtOnce() {
    RuleSpec leased = rule(b -> b.rate(Rate.parse("9/1m")).concurrency(2).mode(Mode.LEASED));
    Rule rule = compile(leased);
    assertEquals(Mode.EXACT, rule.group(0).mode());
    assertFalse(rule.isLeased());
    assertNotEquals(leased, rule.spec());
  }
}
