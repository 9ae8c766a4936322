package dev.weir.proxy.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.Alignment;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnMissingKey;
import dev.weir.proxy.rule.spec.Overflow;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.scripts.ScriptLimit;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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

  private static Budget only(RuleSet set) {
    return budget(set.rules().get(0));
  }

  private static Budget budget(Rule rule) {
    assertEquals(1, rule.budgets().size());
    return rule.budgets().get(0);
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
    assertEquals(only(first).seed(), budget(rule).seed());
    assertSame(only(first).limit(), budget(rule).limit());
    assertNull(budget(rule).past());
    assertEquals(1, rule.index());
    // The default burst is the count: saying so changes nothing.
    assertEquals(budget(rule).seed(), only(set(second, spec(b -> b.burst(10)))).seed());
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
      Budget rule = only(set(first, changed));
      assertNotEquals(only(first).seed(), rule.seed());
      assertEquals(only(first).seed(), rule.past().seed());
      assertSame(only(first).limit(), rule.past().limit());
    }
  }

  @Test
  void countsOfTheSameWindowsGoOnUnderAnotherNumber() {
    for (Algorithm algorithm : Algorithm.values()) {
      boolean counts = algorithm.ordinal() >= Algorithm.FIXED_WINDOW.ordinal();
      Budget first = only(set(RuleSet.EMPTY, spec(b -> b.algorithm(algorithm))));
      RuleSet set = set(RuleSet.EMPTY, spec(b -> b.algorithm(algorithm)));
      Budget more = only(set(set, spec(b -> b.algorithm(algorithm).rate(Rate.parse("11/1m")))));
      assertEquals(counts, first.seed() == more.seed(), algorithm.toString());
      assertEquals(counts, more.past() == null, algorithm.toString());
      assertEquals(11, more.limit().capacity());
      Budget longer = only(set(set, spec(b -> b.algorithm(algorithm).rate(Rate.parse("10/2m")))));
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
    Budget changed = only(set(first, spec(b -> change.apply(start.apply(b)))));
    assertNotEquals(only(first).seed(), changed.seed());
    assertSame(only(first).limit(), changed.past().limit());
  }

  private static void assertSameBudget(
      UnaryOperator<RuleSpec.Builder> start, UnaryOperator<RuleSpec.Builder> change) {
    RuleSet first = set(RuleSet.EMPTY, spec(start));
    Budget same = only(set(first, spec(b -> change.apply(start.apply(b)))));
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
    int depth = 0;
    for (Budget.Past past = only(set).past(); past != null; past = past.earlier()) {
      depth++;
    }
    assertEquals(Budget.MAX_PASTS, depth);
  }

  @Test
  void anotherKeyStartsAfresh() {
    RuleSet first = set(RuleSet.EMPTY, spec(b -> b));
    Budget rule = only(set(first, spec(b -> b.key(KeySpec.parse("header:a")))));
    assertNotEquals(only(first).seed(), rule.seed());
    assertNull(rule.past());
  }

  @Test
  void whatARequestWithoutAKeyCountsToChangesNobodysBudget() {
    RuleSet first = set(RuleSet.EMPTY, spec(b -> b));
    Budget changed = only(set(first, spec(b -> b.onMissingKey(OnMissingKey.SHARED))));
    assertEquals(only(first).seed(), changed.seed());
  }

  @Test
  void aRuleWithoutLimitsForAWhileRemembersItsBudgets() {
    RuleSet first = set(RuleSet.EMPTY, spec(b -> b));
    RuleSpec unlimited =
        RuleSpec.builder(first.rules().get(0).id()).action(RuleAction.UNLIMITED).build();
    RuleSet between = set(set(first, unlimited), unlimited);
    assertEquals(only(first).seed(), only(set(between, spec(b -> b))).seed());
  }

  @Test
  void aNameThatTheStoreHadIsChargedUntilTheLongerOfBothWindowsHasPassed() {
    long hour = TimeUnit.HOURS.toNanos(1);
    RuleSpec one = spec(b -> b.mode(Mode.EXACT).rate(Rate.parse("10/1h")));
    RuleSpec two = spec(b -> b.mode(Mode.EXACT).limits(List.of(limit("10/2h"), limit("10/1d"))));
    RuleSet first = RuleSet.compile(List.of(one), false, RuleSet.EMPTY, 0, hour);
    RuleSet second = RuleSet.compile(List.of(two), false, first, 0, 2 * hour);
    assertEquals(List.of("r/gcra-2h", "r", "r/gcra-1d"), names(second));
    long untilNs = 4 * hour + TimeUnit.MINUTES.toNanos(1);
    assertEquals(untilNs, second.formerNamesUntilNs());
    assertEquals(names(second), names(second.again(0, untilNs - 1)));
    assertEquals(List.of("r/gcra-2h", "r/gcra-1d"), names(second.again(0, untilNs)));
    RuleSet back = RuleSet.compile(List.of(one), false, second, 0, 3 * hour);
    assertEquals(List.of("r", "r/gcra-2h"), names(back), "one key is charged once");
  }

  @Test
  void aChangeThatWouldForgetWhatWasUsedIsAFaultUntilFormerNamesHaveEnded() {
    long hour = TimeUnit.HOURS.toNanos(1);
    RuleSet first = compile(list(Algorithm.GCRA), RuleSet.EMPTY, 0);
    RuleSet second = compile(list(Algorithm.SLIDING_LOG), first, hour);
    assertEquals(List.of(), faults(first, list(Algorithm.SLIDING_LOG), hour));
    RuleSpec third = list(Algorithm.FIXED_WINDOW);
    long endNs = second.formerNamesUntilNs();
    assertEquals(
        List.of(
            "rules[0].limits: would forget what was used as r/gcra-3h (expected: at most 8 names in"
                + " the store, former ones included, each of one limit; or a restart, which begins"
                + " anew)"),
        faults(second, third, endNs - 1));
    assertThrows(BadValueException.class, () -> compile(third, second, endNs - 1));
    assertEquals(List.of(), faults(second, third, endNs));
    assertEquals(8, names(compile(third, second, endNs)).size());
    // A rehearsal protects nothing: it leaves out what does not fit.
    RuleSet rehearsal = RuleSet.EMPTY;
    for (Algorithm algorithm :
        List.of(Algorithm.GCRA, Algorithm.SLIDING_LOG, Algorithm.FIXED_WINDOW)) {
      RuleSpec rehearsed = list(algorithm, true);
      assertEquals(List.of(), faults(rehearsal, rehearsed, hour));
      rehearsal = compile(rehearsed, rehearsal, hour);
    }
    assertEquals(8, names(rehearsal).size());
  }

  @Test
  void aNameThatAnotherLimitHadIsAFault() {
    RuleSet first = compile(limits(limit("10/1h"), limit("99/1d")), RuleSet.EMPTY, 0);
    RuleSet second = compile(limits(limit("10/2h"), limit("99/1d")), first, 0);
    assertEquals(1, faults(second, limits(limit("10/2h"), limit("99/1h")), 1).size());
    assertEquals(List.of(), faults(second, limits(limit("10/1h"), limit("99/1d")), 1));
  }

  @Test
  void aNewRuleWithoutRoomForFormerNamesOfTheLimitsOfAllIsAFault() {
    RuleSpec one = everywhere("one");
    RuleSpec two = everywhere("two");
    RuleSpec seven =
        limits(
            Stream.of("1/1h", "2/2h", "3/3h", "4/4h", "5/5h", "6/6h", "7/7h")
                .map(RuleTest::limit)
                .toArray(BudgetSpec.Builder[]::new));
    RuleSpec rehearsed = spec(b -> b.mode(Mode.EXACT).dryRun(true).limits(List.of(limit("1/1h"))));
    for (List<RuleSpec> before : List.of(List.<RuleSpec>of(), List.of(rehearsed))) {
      RuleSet first = RuleSet.compile(before, one, false, RuleSet.EMPTY, 0, 0);
      List<String> faults = new ArrayList<>();
      first.checkChange(List.of(seven), two, 1, (field, fault) -> faults.add(field));
      assertEquals(List.of("rules[0].limits"), faults);
      faults.clear();
      first.checkChange(List.of(seven), one, 1, (field, fault) -> faults.add(field));
      assertEquals(List.of(), faults);
    }
  }

  @Test
  void aVerdictTellsTheLimitsOfTheRuleAndThenThoseOfAll() {
    RuleSpec own = limits(limit("1/1h"), limit("2/2h").mode(Mode.LOCAL));
    RuleSpec ofAll = RuleSpec.ofEverywhere(List.of(limit("9/1h").name("a"), limit("8/1h")));
    RuleSet set = RuleSet.compile(List.of(own), ofAll, false, RuleSet.EMPTY, 0, 0);
    // This node decides on the second limit and on those of all, before the store.
    assertEquals("[1, 2, 3, 0]", Arrays.toString(set.find("r").rows()));
  }

  @Test
  void threadsThatAskForTheSamePartGetTheSameRule() {
    BudgetSpec.Builder ofUser = limit("2/2h").key(KeySpec.parse("header:x-user"));
    for (int round = 0; round < 200; round++) {
      Rule rule = compile(limits(limit("1/1h"), ofUser), RuleSet.EMPTY, 0).rules().get(0);
      List<Rule> parts =
          IntStream.range(0, 8)
              .parallel()
              .mapToObj(thread -> rule.without(1 + thread % 2))
              .toList();
      for (int i = 0; i < parts.size(); i++) {
        assertSame(rule.without(1 + i % 2), parts.get(i));
        assertEquals(1, parts.get(i).groupCount());
      }
    }
  }

  private static RuleSpec everywhere(String name) {
    return RuleSpec.ofEverywhere(List.of(limit("9/1h").name(name).mode(Mode.EXACT)));
  }

  private static RuleSet compile(RuleSpec spec, RuleSet previous, long nowNs) {
    return RuleSet.compile(List.of(spec), false, previous, 0, nowNs);
  }

  private static List<String> faults(RuleSet set, RuleSpec to, long nowNs) {
    List<String> faults = new ArrayList<>();
    set.checkChange(
        List.of(to), null, nowNs, (field, fault) -> faults.add(field + ": " + fault.getMessage()));
    return faults;
  }

  private static RuleSpec limits(BudgetSpec.Builder... limits) {
    return spec(b -> b.mode(Mode.EXACT).limits(List.of(limits)));
  }

  private static RuleSpec list(Algorithm algorithm) {
    return list(algorithm, false);
  }

  /** Three limits of an algorithm. */
  private static RuleSpec list(Algorithm algorithm, boolean isRehearsed) {
    List<BudgetSpec.Builder> limits =
        Stream.of("7/1h", "8/2h", "9/3h").map(rate -> limit(rate).algorithm(algorithm)).toList();
    return spec(b -> b.mode(Mode.EXACT).dryRun(isRehearsed).limits(limits));
  }

  private static BudgetSpec.Builder limit(String rate) {
    return new BudgetSpec.Builder().rate(Rate.parse(rate));
  }

  private static List<String> names(RuleSet set) {
    BudgetGroup group = set.rules().get(0).group(0);
    List<String> names = new ArrayList<>();
    for (int i = 0; i < group.size(); i++) {
      names.add(new String(group.budget(i).storeName(), StandardCharsets.US_ASCII));
    }
    return names;
  }

  @Test
  void aRehearsalNeverTouchesTheRealBudget() {
    RuleSet real = set(RuleSet.EMPTY, spec(b -> b));
    RuleSet dry = set(real, spec(b -> b.dryRun(true)));
    assertNotEquals(only(real).seed(), only(dry).seed());
    assertNull(only(dry).past());
    assertEquals(only(real).seed(), only(set(dry, spec(b -> b))).seed());
    Budget dryChanged = only(set(real, spec(b -> b.dryRun(true).burst(5))));
    assertEquals(only(dry).seed(), dryChanged.past().seed());
  }

  @Test
  void rulesDoNotShareBudgets() {
    RuleSpec other = RuleSpec.builder("q").rate(Rate.parse("10/1m")).build();
    RuleSet set = set(RuleSet.EMPTY, spec(b -> b), other);
    assertNotEquals(only(set).seed(), budget(set.rules().get(1)).seed());
  }

  @Test
  void aRuleWithoutALimitHasNone() {
    for (RuleAction action : List.of(RuleAction.DENY, RuleAction.UNLIMITED)) {
      Rule rule = set(RuleSet.EMPTY, RuleSpec.builder("r").action(action).build()).rules().get(0);
      assertEquals(List.of(), rule.budgets());
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
    Budget rule = only(set(RuleSet.EMPTY, spec(b -> b.rate(Rate.parse(rate)))));
    assertEquals(new QuotaPolicy("r", quota, windowSeconds), rule.policy());
  }

  @ParameterizedTest
  @CsvSource({
    "10.5/1s, 10, 1",
    "0.5/1s, 1, 2",
    "0.4/1s, 1, 3",
    "0.001/1m, 1, 60000",
    "1.5/500ms, 3, 1",
  })
  void announcesWholeRequests(String rate, long quota, long windowSeconds) {
    Budget bucket =
        only(
            set(
                RuleSet.EMPTY,
                spec(b -> b.algorithm(Algorithm.TOKEN_BUCKET).rate(Rate.parse(rate)))));
    assertEquals(new QuotaPolicy("r", quota, windowSeconds, 1000), bucket.policy());
  }

  @Test
  void announcesTheLongestMonth() {
    Budget rule =
        only(
            set(
                RuleSet.EMPTY,
                spec(b -> b.algorithm(Algorithm.FIXED_WINDOW).rate(Rate.parse("5/1month")))));
    assertEquals(new QuotaPolicy("r", 5, 31 * 86_400), rule.policy());
    assertEquals("5/1month", rule.spec().limit().rate().toString());
  }

  @Test
  void costAndBurstHaveTheirDefaults() {
    Rule rule = set(RuleSet.EMPTY, spec(b -> b)).rules().get(0);
    assertEquals(1, rule.cost());
    assertEquals(10, budget(rule).limit().capacity());
    assertEquals(7, only(set(RuleSet.EMPTY, spec(b -> b.burst(7)))).limit().capacity());
  }

  private static BudgetSpec.Builder limit(String rate, String key) {
    return new BudgetSpec.Builder().rate(Rate.parse(rate)).key(KeySpec.parse(key));
  }

  private static RuleSpec several(BudgetSpec.Builder... limits) {
    return RuleSpec.builder("r").limits(List.of(limits)).build();
  }

  private static List<Budget> all(RuleSet set) {
    return set.rules().get(0).budgets();
  }

  @Test
  void budgetsOfAListGoOnWhateverTheirOrder() {
    RuleSet first = set(RuleSet.EMPTY, several(limit("10/1m", "ip"), limit("90/1h", "ip")));
    RuleSet second =
        set(first, several(limit("5/1m", "cookie:s"), limit("90/1h", "ip"), limit("10/1m", "ip")));
    for (int i = 0; i < 2; i++) {
      Budget before = all(first).get(i);
      Budget after = all(second).get(2 - i);
      assertEquals(before.seed(), after.seed());
      assertSame(before.limit(), after.limit());
      assertNull(after.past());
      assertNotEquals(all(second).get(0).seed(), after.seed());
    }
    assertNull(all(second).get(0).past());
  }

  @Test
  void ofSeveralBudgetsOnlyTheOneThatChangedIsNew() {
    RuleSet first = set(RuleSet.EMPTY, several(limit("10/1m", "ip"), limit("90/1h", "ip")));
    RuleSet second = set(first, several(limit("11/1m", "ip"), limit("90/1h", "ip")));
    assertEquals(all(first).get(0).seed(), all(second).get(0).past().seed());
    assertEquals(all(first).get(1).seed(), all(second).get(1).seed());
    // Another window or algorithm is another name, and continues what is left of the same key.
    RuleSet third =
        set(
            second,
            several(limit("90/1h", "ip").algorithm(Algorithm.SLIDING_LOG), limit("9/1m", "ip")));
    assertEquals(all(second).get(1).seed(), all(third).get(0).past().seed());
    assertEquals(all(second).get(0).seed(), all(third).get(1).past().seed());
    RuleSet otherKey = set(third, several(limit("9/1m", "cookie:s")));
    assertNull(all(otherKey).get(0).past());
  }

  @Test
  void aSingleLimitGoesOnAsOneOfSeveral() {
    RuleSet one = set(RuleSet.EMPTY, spec(b -> b));
    RuleSet list = set(one, several(limit("99/1h", "ip"), limit("10/1m", "ip")));
    assertEquals(only(one).seed(), all(list).get(1).seed());
    assertNull(all(list).get(0).past());
    assertEquals(only(one).seed(), only(set(list, spec(b -> b))).seed());
  }

  @Test
  void namesPoliciesAndBudgetsByWhatTellsThemApart() {
    assertEquals(List.of("r r"), names(several(limit("5/1m", "ip"))));
    assertEquals(
        List.of("r-1m r/gcra-1m", "r-1h r/gcra-1h"),
        names(several(limit("5/60s", "ip"), limit("5/1h", "cookie:s"))));
    assertEquals(
        List.of(
            "r-1m-ip-gcra r/gcra-1m",
            "r-1m-ip-sliding-log r/sliding-log-1m",
            "r-1m-header.a+cookie.s r/gcra-1m",
            "r-2m r/gcra-2m"),
        names(
            several(
                limit("5/1m", "ip"),
                limit("4/1m", "ip").algorithm(Algorithm.SLIDING_LOG),
                limit("3/1m", "header:a,cookie:s"),
                limit("2/2m", "ip"))));
    assertEquals(
        "r~/gcra-1m",
        names(
                RuleSpec.builder("r")
                    .dryRun(true)
                    .limits(List.of(limit("5/1m", "ip"), limit("5/1h", "ip")))
                    .build())
            .get(0)
            .split(" ")[1]);
  }

  @Test
  void aLimitHasTheNameThatItIsGiven() {
    assertEquals(List.of("rpm r/rpm"), names(several(limit("5/1m", "ip").name("rpm"))));
    assertEquals(
        List.of("rpm r/rpm", "r-1h r/gcra-1h"),
        names(several(limit("5/1m", "ip").name("rpm"), limit("5/1h", "ip"))));
    assertEquals(List.of("rpm r/rpm"), names(spec(b -> b.name("rpm"))));
  }

  @Test
  void aNamedLimitGoesOnWhateverElseOfItChanges() {
    RuleSet first =
        set(RuleSet.EMPTY, several(limit("10/1m", "ip").name("a"), limit("20/1m", "ip").name("b")));
    RuleSet second =
        set(
            first,
            several(
                limit("20/1m", "ip").name("a").algorithm(Algorithm.SLIDING_LOG),
                limit("10/1h", "ip").name("b")));
    for (int i = 0; i < 2; i++) {
      assertEquals(all(first).get(i).seed(), all(second).get(i).past().seed());
    }
    RuleSet swapped =
        set(first, several(limit("20/1m", "ip").name("b"), limit("10/1m", "ip").name("a")));
    assertEquals(all(first).get(1).seed(), all(swapped).get(0).seed());
  }

  @Test
  void aLimitThatGetsAnotherNameKeepsWhatWasUsed() {
    RuleSet plain = set(RuleSet.EMPTY, spec(b -> b));
    RuleSet named = set(plain, spec(b -> b.name("rpm")));
    assertEquals(only(plain).seed(), only(named).past().seed());
    RuleSet renamed = set(named, spec(b -> b.name("per-minute")));
    assertEquals(only(named).seed(), only(renamed).past().seed());
    assertEquals(only(renamed).seed(), only(set(renamed, spec(b -> b.name("per-minute")))).seed());
  }

  private static List<String> names(RuleSpec spec) {
    return all(set(RuleSet.EMPTY, spec)).stream()
        .map(b -> b.policy().name() + " " + new String(b.storeName(), StandardCharsets.US_ASCII))
        .toList();
  }

  @Test
  void groupsBudgetsByKeyInTheOrderOfTheFile() {
    RuleSpec spec =
        RuleSpec.builder("r")
            .mode(Mode.EXACT)
            .limits(List.of(limit("1/1m", "ip"), limit("2/1m", "cookie:s"), limit("3/1h", "ip")))
            .build();
    RuleSet set = set(RuleSet.EMPTY, spec);
    Rule rule = set.rules().get(0);
    assertEquals(2, rule.groupCount());
    assertEquals(
        List.of(1L, 3L),
        List.of(
            rule.group(0).budget(0).limit().capacity(),
            rule.group(0).budget(1).limit().capacity()));
    assertEquals("cookie:s", rule.group(1).key().toString());
    assertEquals(
        List.of(1L, 3L, 2L), Arrays.stream(rule.storeLimits()).map(ScriptLimit::capacity).toList());
    // The same arrays while the limits stay, so that checks of the same budgets are told by them.
    Rule again = set(set, spec).rules().get(0);
    assertSame(rule.storeLimits(), again.storeLimits());
    assertSame(rule.group(0).storeLimits(), again.group(0).storeLimits());
  }
}
