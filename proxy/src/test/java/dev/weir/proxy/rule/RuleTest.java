package dev.weir.proxy.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.weir.proxy.request.QuotaPolicy;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleTest {
  private static RuleSpec spec(UnaryOperator<RuleSpec.Builder> change) {
    return change.apply(RuleSpec.builder("r").rate(Rate.parse("10/1m"))).build();
  }

  private static RuleSet set(RuleSet previous, RuleSpec... specs) {
    return RuleSet.compile(List.of(specs), false, previous, 0);
  }

  private static Rule only(RuleSet set) {
    return set.rules().get(0);
  }

  @Test
  void aReloadThatLeavesTheLimitAloneLeavesTheBudgets() {
    RuleSet first = set(RuleSet.EMPTY, spec(b -> b));
    RuleSet second =
        set(
            first,
            RuleSpec.builder("new").rate(Rate.parse("1/1s")).path(PathPattern.parse("/n")).build(),
            spec(b -> b.path(PathPattern.parse("/p")).methods(List.of("GET")).cost(2).priority(3)));
    Rule rule = second.rules().get(1);
    assertEquals(only(first).seed(), rule.seed());
    assertSame(only(first).limit(), rule.limit());
    assertNull(rule.past());
    assertEquals(1, rule.index());
    // The default burst is the count: saying so changes nothing.
    assertEquals(rule.seed(), only(set(second, spec(b -> b.burst(10)))).seed());
  }

  @Test
  void aChangedLimitKnowsTheOneItReplaced() {
    RuleSet first = set(RuleSet.EMPTY, spec(b -> b));
    for (RuleSpec changed :
        List.of(
            spec(b -> b.rate(Rate.parse("11/1m"))),
            spec(b -> b.rate(Rate.parse("10/2m"))),
            spec(b -> b.burst(5)),
            spec(b -> b.algorithm(Algorithm.TOKEN_BUCKET)))) {
      Rule rule = only(set(first, changed));
      assertNotEquals(only(first).seed(), rule.seed());
      assertEquals(only(first).seed(), rule.past().seed());
      assertSame(only(first).limit(), rule.past().limit());
    }
  }

  @Test
  void countsOfTheSameWindowsGoOnUnderAnotherNumber() {
    for (Algorithm algorithm : Algorithm.values()) {
      boolean counts = algorithm.ordinal() >= Algorithm.FIXED_WINDOW.ordinal();
      Rule first = only(set(RuleSet.EMPTY, spec(b -> b.algorithm(algorithm))));
      RuleSet set = set(RuleSet.EMPTY, spec(b -> b.algorithm(algorithm)));
      Rule more = only(set(set, spec(b -> b.algorithm(algorithm).rate(Rate.parse("11/1m")))));
      assertEquals(counts, first.seed() == more.seed(), algorithm.toString());
      assertEquals(counts, more.past() == null, algorithm.toString());
      assertEquals(11, more.limit().capacity());
      Rule longer = only(set(set, spec(b -> b.algorithm(algorithm).rate(Rate.parse("10/2m")))));
      assertNotEquals(first.seed(), longer.seed());
      assertNotNull(longer.past());
    }
  }

  @Test
  void otherWindowsAreAnotherBudget() {
    UnaryOperator<RuleSpec.Builder> days =
        b -> b.algorithm(Algorithm.FIXED_WINDOW).rate(Rate.parse("10/1d")).align(Alignment.DAY);
    UnaryOperator<RuleSpec.Builder> ring =
        b -> b.algorithm(Algorithm.BUCKET_RING).rate(Rate.parse("10/1m"));
    assertNewBudget(days, b -> b.zone(ZoneId.of("Europe/Berlin")));
    assertNewBudget(days, b -> b.align(Alignment.EPOCH));
    assertNewBudget(ring, b -> b.subWindowNs(1_000_000_000));
    UnaryOperator<RuleSpec.Builder> queue =
        b -> b.algorithm(Algorithm.LEAKY_BUCKET).overflow(Overflow.QUEUE);
    assertNewBudget(queue, b -> b.maxWaitNs(5));
    assertNewBudget(queue, b -> b.overflow(Overflow.REJECT));
    // To say the default is no change.
    assertSameBudget(days, b -> b.zone(ZoneOffset.UTC));
    assertSameBudget(ring, b -> b.subWindowNs(6_000_000_000L));
    assertSameBudget(queue, b -> b.maxWaitNs(LimitSpec.DEFAULT_MAX_WAIT_NS));
  }

  private static void assertNewBudget(
      UnaryOperator<RuleSpec.Builder> start, UnaryOperator<RuleSpec.Builder> change) {
    RuleSet first = set(RuleSet.EMPTY, spec(start));
    Rule changed = only(set(first, spec(b -> change.apply(start.apply(b)))));
    assertNotEquals(only(first).seed(), changed.seed());
    assertSame(only(first).limit(), changed.past().limit());
  }

  private static void assertSameBudget(
      UnaryOperator<RuleSpec.Builder> start, UnaryOperator<RuleSpec.Builder> change) {
    RuleSet first = set(RuleSet.EMPTY, spec(start));
    Rule same = only(set(first, spec(b -> change.apply(start.apply(b)))));
    assertEquals(only(first).seed(), same.seed());
    assertSame(only(first).limit(), same.limit());
  }

  @Test
  void aLimitThatComesBackDoesNotFindTheBudgetsItHadThen() {
    RuleSet first = set(RuleSet.EMPTY, spec(b -> b));
    RuleSet second = set(first, spec(b -> b.burst(5)));
    RuleSet third = set(second, spec(b -> b));
    assertNotEquals(only(first).seed(), only(third).seed());
    assertEquals(only(second).seed(), only(third).past().seed());
    assertEquals(only(first).seed(), only(third).past().earlier().seed());
  }

  @Test
  void thePastIsBoundedAndStaysUntilTheNextChange() {
    RuleSet set = set(RuleSet.EMPTY, spec(b -> b));
    for (int i = 1; i < 50; i++) {
      int burst = i;
      set = set(set, spec(b -> b.burst(burst)));
      set = set(set, spec(b -> b.burst(burst)));
    }
    assertNotNull(only(set).past().earlier().earlier());
    assertNull(only(set).past().earlier().earlier().earlier());
  }

  @Test
  void anotherKeyStartsAfresh() {
    RuleSet first = set(RuleSet.EMPTY, spec(b -> b));
    for (RuleSpec changed :
        List.of(
            spec(b -> b.key(KeySpec.parse("header:a"))),
            spec(b -> b.onMissingKey(OnMissingKey.IP)))) {
      Rule rule = only(set(first, changed));
      assertNotEquals(only(first).seed(), rule.seed());
      assertNull(rule.past());
    }
  }

  @Test
  void aRehearsalNeverTouchesTheRealBudget() {
    RuleSet real = set(RuleSet.EMPTY, spec(b -> b));
    RuleSet dry = set(real, spec(b -> b.dryRun(true)));
    assertNotEquals(only(real).seed(), only(dry).seed());
    assertNull(only(dry).past());
    assertEquals(only(real).seed(), only(set(dry, spec(b -> b))).seed());
    Rule dryChanged = only(set(real, spec(b -> b.dryRun(true).burst(5))));
    assertEquals(only(dry).seed(), dryChanged.past().seed());
  }

  @Test
  void rulesDoNotShareBudgets() {
    RuleSpec other = RuleSpec.builder("q").rate(Rate.parse("10/1m")).build();
    RuleSet set = set(RuleSet.EMPTY, spec(b -> b), other);
    assertNotEquals(set.rules().get(0).seed(), set.rules().get(1).seed());
  }

  @Test
  void aRuleWithoutALimitHasNone() {
    for (RuleAction action : List.of(RuleAction.DENY, RuleAction.UNLIMITED)) {
      Rule rule = only(set(RuleSet.EMPTY, RuleSpec.builder("r").action(action).build()));
      assertNull(rule.limit());
      assertNull(rule.policy());
      assertNull(rule.past());
      RuleSet limited = set(set(RuleSet.EMPTY, rule.spec()), spec(b -> b));
      assertNull(only(limited).past());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "10/1m, 10, 60",
    "1/1d, 1, 86400",
    "100/500ms, 200, 1",
    "3/1500ms, 4, 2",
    "1/1ms, 1000, 1",
    "999999999999999/20d, 999999999999999, 1728000"
  })
  void announcesWholeSeconds(String rate, long quota, long windowSeconds) {
    Rule rule = only(set(RuleSet.EMPTY, spec(b -> b.rate(Rate.parse(rate)))));
    assertEquals(new QuotaPolicy("r", quota, windowSeconds), rule.policy());
  }

  @Test
  void announcesTheLongestMonth() {
    Rule rule =
        only(
            set(
                RuleSet.EMPTY,
                spec(b -> b.algorithm(Algorithm.FIXED_WINDOW).rate(Rate.parse("5/1month")))));
    assertEquals(new QuotaPolicy("r", 5, 31 * 86_400), rule.policy());
    assertEquals("5/1month", rule.spec().limit().rate().toString());
  }

  @Test
  void costAndBurstHaveTheirDefaults() {
    Rule rule = only(set(RuleSet.EMPTY, spec(b -> b)));
    assertEquals(1, rule.cost());
    assertEquals(10, rule.limit().capacity());
    assertEquals(7, only(set(RuleSet.EMPTY, spec(b -> b.burst(7)))).limit().capacity());
  }
}
