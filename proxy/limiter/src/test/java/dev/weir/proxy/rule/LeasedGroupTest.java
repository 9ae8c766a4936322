package dev.weir.proxy.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.CostAtEnd;
import dev.weir.proxy.rule.spec.CostSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Budgets whose units are kept, when their rule changes. */
class LeasedGroupTest {
  private static final long MS = 1_000_000;

  private static RuleSpec.Builder rule(Algorithm algorithm, String rate) {
    return RuleSpec.builder("r").algorithm(algorithm).rate(Rate.parse(rate)).mode(Mode.LEASED);
  }

  private static RuleSet compile(RuleSpec.Builder rule, RuleSet before) {
    RuleSet set = RuleSet.compile(List.of(rule.build()), false, before, 0);
    set.succeed();
    return set;
  }

  /** The group before a change. */
  private static BudgetGroup changed(RuleSpec.Builder from, RuleSpec.Builder to) {
    RuleSet before = compile(from, RuleSet.EMPTY);
    BudgetGroup group = before.rules().get(0).group(0);
    assertTrue(group.isCurrent());
    compile(to, before);
    return group;
  }

  @Test
  void theSameLimitStaysWhatItIs() {
    BudgetGroup group =
        changed(rule(Algorithm.GCRA, "100/1s"), rule(Algorithm.GCRA, "100/1s").priority(1));
    assertTrue(group.isCurrent() && group.takesBack());
  }

  @Test
  void aPacedLimitThatIsChangedTakesNothingBack() {
    BudgetGroup group = changed(rule(Algorithm.GCRA, "100/1s"), rule(Algorithm.GCRA, "200/1s"));
    assertFalse(group.isCurrent() || group.takesBack());
  }

  @Test
  void windowsTakeBackUnderAnotherNumber() {
    BudgetGroup group =
        changed(rule(Algorithm.FIXED_WINDOW, "100/1s"), rule(Algorithm.FIXED_WINDOW, "200/1s"));
    assertFalse(group.isCurrent());
    assertTrue(group.takesBack());
  }

  @Test
  void otherWindowsTakeNothingBack() {
    BudgetGroup group =
        changed(rule(Algorithm.FIXED_WINDOW, "100/1s"), rule(Algorithm.FIXED_WINDOW, "100/1m"));
    assertFalse(group.isCurrent() || group.takesBack());
  }

  @Test
  void anotherModeOrLifeEndsLeasesAndTakesThemBack() {
    for (RuleSpec.Builder to :
        List.of(
            rule(Algorithm.GCRA, "100/1s").mode(Mode.EXACT),
            rule(Algorithm.GCRA, "100/1s").leaseLifeNs(50 * MS))) {
      BudgetGroup group = changed(rule(Algorithm.GCRA, "100/1s"), to);
      assertFalse(group.isCurrent());
      assertTrue(group.takesBack());
    }
  }

  @Test
  void aCostThatIsKnownAtTheEndIsAnotherLimitForTheStoreAsItLeasesNone() {
    CostAtEnd tokens = CostAtEnd.of(ReportedCost.ofHeader(FieldName.of("x-tokens")));
    for (Algorithm algorithm : List.of(Algorithm.GCRA, Algorithm.FIXED_WINDOW)) {
      RuleSpec.Builder plain = rule(algorithm, "100/1s");
      RuleSpec.Builder held = rule(algorithm, "100/1s").cost(CostSpec.ofReported(tokens));
      assertFalse(changed(held, plain).isCurrent());
      assertFalse(changed(plain, held).isCurrent());
      assertTrue(changed(held, held).isCurrent());
    }
  }

  @Test
  void theLifeIsATenthOfTheWindowUnlessItIsSet() {
    assertEquals(100 * MS, lifeNs(rule(Algorithm.GCRA, "100/1s")));
    assertEquals(20 * MS, lifeNs(rule(Algorithm.GCRA, "100/1s").burst(20)));
    assertEquals(2_000 * MS, lifeNs(rule(Algorithm.FIXED_WINDOW, "100/1h")));
    assertEquals(20 * MS, lifeNs(rule(Algorithm.SLIDING_LOG, "100/1s")));
    assertEquals(10 * MS, lifeNs(rule(Algorithm.BUCKET_RING, "100/1s").subWindowNs(10 * MS)));
    assertEquals(30 * MS, lifeNs(rule(Algorithm.GCRA, "100/1s").leaseLifeNs(30 * MS)));
    assertNull(
        compile(rule(Algorithm.GCRA, "1/1s").mode(Mode.EXACT), RuleSet.EMPTY)
            .rules()
            .get(0)
            .group(0)
            .leaseTerms());
  }

  private static long lifeNs(RuleSpec.Builder rule) {
    return compile(rule, RuleSet.EMPTY).rules().get(0).group(0).leaseTerms().lifeNs();
  }

  @Test
  void anotherNumberIsAnotherHand() {
    long seed =
        compile(rule(Algorithm.FIXED_WINDOW, "100/1s"), RuleSet.EMPTY)
            .rules()
            .get(0)
            .group(0)
            .leaseSeed();
    long other =
        compile(rule(Algorithm.FIXED_WINDOW, "200/1s"), RuleSet.EMPTY)
            .rules()
            .get(0)
            .group(0)
            .leaseSeed();
    assertNotEquals(seed, other);
  }
}
