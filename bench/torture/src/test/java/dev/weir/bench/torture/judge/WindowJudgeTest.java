package dev.weir.bench.torture.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.torture.judge.Asked.Outcome;
import dev.weir.bench.torture.plan.Algorithm;
import dev.weir.bench.torture.plan.CostPlan;
import dev.weir.bench.torture.plan.FaultPlan;
import dev.weir.bench.torture.plan.LimitPlan;
import dev.weir.bench.torture.plan.RuleOptions;
import dev.weir.bench.torture.plan.RulePlan;
import dev.weir.bench.torture.plan.RulePlan.Mode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class WindowJudgeTest {
  private static final LimitPlan TEN =
      new LimitPlan(Algorithm.SLIDING_LOG, 10, History.WINDOW_MS, 1, History.KEY);

  private static int found(History history) {
    return new WindowJudge().judge(history.evidence()).size();
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void seesOneMoreThanTheLimit(Algorithm algorithm) {
    assertEquals(0, found(new History(algorithm, 10, Mode.EXACT).pass(10, 100, 101)));
    assertEquals(1, found(new History(algorithm, 10, Mode.EXACT).pass(11, 100, 101)));
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void countsOnlyRequestsThatLieWithinTheWindow(Algorithm algorithm) {
    // 10 pass at once, and 10 more whose span may have begun with the next window.
    final History history = new History(algorithm, 10, Mode.EXACT);
    assertEquals(0, found(history.pass(10, 10, 11).pass(10, 300, 2_400)));
  }

  @Test
  void seesABurstAfterWhatCameBack() {
    final History history = new History(Algorithm.GCRA, 10, Mode.EXACT);
    // 5 come back in half a second, and the judge's clock allows for none more.
    assertEquals(0, found(history.pass(10, 0, 1).pass(5, 500, 501)));
    assertEquals(1, found(history.pass(1, 500, 501)));
  }

  @Test
  void judgesEachProcessOfModeLocalByItself() {
    final History history = new History(Algorithm.SLIDING_LOG, 2, Mode.LOCAL);
    history.pass(2, 0, 1).ask(2, 3, Outcome.PASSED, 2).ask(2, 3, Outcome.PASSED, 2);
    assertEquals(0, found(history));
    assertEquals(1, found(history.ask(4, 5, Outcome.PASSED, 2)));
  }

  @Test
  void knowsNoWindowsOfASlidingCounterOfModeLocal() {
    final History history = new History(Algorithm.SLIDING_COUNTER, 5, Mode.LOCAL);
    assertEquals(0, found(history.pass(10, 100, 101)));
    assertEquals(1, found(history.pass(1, 100, 101)));
  }

  @Test
  void onlyWindowsOfTheClockFollowAClockThatIsSet() {
    for (Algorithm algorithm : Algorithm.values()) {
      final History history = new History(algorithm, 10, Mode.LOCAL).pass(25, 100, 101);
      assertEquals(1, found(history), algorithm.toString());
      history.happen(FaultPlan.Kind.SIDECAR_CLOCK_SET, 50, 60);
      final boolean follows = algorithm.promise() == Algorithm.Promise.CLOCK_WINDOW;
      assertEquals(follows ? 0 : 1, found(history), algorithm.toString());
    }
  }

  @Test
  void aStoreWhoseClockIsSetGrantsAnewTwice() {
    final History history = new History(Algorithm.FIXED_WINDOW, 10, Mode.EXACT);
    history.happen(FaultPlan.Kind.STORE_CLOCK_SET, 50, 60);
    assertEquals(0, found(history.pass(30, 40, 70)));
    assertEquals(1, found(history.pass(1, 40, 70)));
  }

  @Test
  void countsWhatReachedTheServiceWithoutAnAnswer() {
    final History history = new History(Algorithm.SLIDING_LOG, 1, Mode.EXACT).pass(1, 0, 1);
    assertEquals(0, found(history.ask(2, 3, Outcome.FAILED)));
    assertEquals(1, found(history.served(1)));
  }

  @Test
  void allowsAnotherLimitWhereTheStoreWasEmptied() {
    final History history = new History(Algorithm.FIXED_WINDOW, 5, Mode.EXACT);
    history.pass(5, 100, 101).pass(5, 500, 501).happen(FaultPlan.Kind.STORE_KILLED, 200, 400);
    assertEquals(0, found(history));
    assertEquals(1, found(history.pass(1, 502, 503)));
  }

  @Test
  void saysNothingOfASpanInWhichTheStoreEvicts() {
    final History history = new History(Algorithm.FIXED_WINDOW, 5, Mode.EXACT).pass(6, 100, 101);
    assertEquals(1, found(history.happen(FaultPlan.Kind.STORE_EVICTS, 200, 300)));
    assertEquals(0, found(history.happen(FaultPlan.Kind.STORE_EVICTS, 50, 150)));
  }

  @Test
  void allowsAnotherLimitWhereTheBudgetWasGivenBack() {
    final History history = new History(Algorithm.FIXED_WINDOW, 5, Mode.LOCAL);
    history.pass(5, 100, 101).pass(5, 500, 501).happen(FaultPlan.Kind.BUDGETS_RESET, 200, 400);
    assertEquals(0, found(history));
    assertEquals(1, found(history.pass(1, 502, 503)));
  }

  @Test
  void allowsNothingForAnEmptiedStoreInModeLocal() {
    final History history = new History(Algorithm.FIXED_WINDOW, 5, Mode.LOCAL);
    history.pass(6, 100, 101).happen(FaultPlan.Kind.STORE_KILLED, 50, 400);
    assertEquals(1, found(history));
  }

  @Test
  void allowsTheLargerLimitWhileItChanges() {
    final History history = new History(Algorithm.SLIDING_LOG, 5, 10_000, Mode.EXACT);
    history.change(500, 8).pass(5, 100, 101).pass(3, 600, 601);
    assertEquals(0, found(history));
    assertEquals(1, found(history.pass(1, 700, 701)));
  }

  @Test
  void seesOneMoreThanASmallBurst() {
    final LimitPlan limit = new LimitPlan(Algorithm.GCRA, 40, History.WINDOW_MS, 1, History.KEY);
    final History history = new History(limit, Mode.EXACT);
    assertEquals(0, found(history.pass(1, 100, 101)));
    assertEquals(1, found(history.pass(1, 100, 101)));
  }

  @Test
  void seesOneMoreThanALoweredLimit() {
    final History history = new History(Algorithm.SLIDING_LOG, 400, 10_000, Mode.EXACT);
    history.pass(1, 100, 101).change(500, 20).pass(20, 600, 601);
    assertEquals(0, found(history));
    assertEquals(1, found(history.pass(1, 700, 701)));
  }

  @Test
  void allowsTheOldLimitUntilEventLoopsHaveTheNewOne() {
    final History history = new History(Algorithm.SLIDING_LOG, 4, 10_000, Mode.EXACT);
    history.change(500, 2).pass(4, 510, 511);
    assertEquals(0, found(history));
    assertEquals(1, found(history.pass(3, 600, 601)));
  }

  @Test
  void judgesWhoIsRefusedUnderEnforce() {
    final History history = new History(ofTen(1, 50, false)).pass(11, 100, 101);
    assertEquals(0, found(history), "outside the part");
    assertEquals(1, found(history.ask(102, 103, Outcome.REFUSED)));
  }

  @Test
  void countsAGrantThatIsUsedAgainOnce() {
    final History history = new History(ofTen(1, 100, true)).pass(9, 100, 101);
    for (int i = 0; i < 4; i++) {
      history.retry(9, 110 + 2 * i, 111 + 2 * i, Outcome.PASSED);
    }
    assertEquals(0, found(history));
    assertEquals(1, found(history.retry(9, 120, 121, Outcome.PASSED)), "a fifth time");
  }

  @Test
  void countsTheCostThatATrustedRequestSays() {
    final RulePlan rule = ofTen(4, 100, false);
    assertEquals(0, found(new History(rule).tell(4, 100, 101).tell(6, 102, 103).tell(2, 104, 105)));
    assertEquals(1, found(new History(rule).tell(4, 100, 101).tell(6, 102, 103).tell(3, 104, 105)));
  }

  @Test
  void countsThousandths() {
    final LimitPlan limit =
        new LimitPlan(
            Algorithm.TOKEN_BUCKET, 1, 60_000, 4_500, History.KEY, false, "", 1_500, true);
    assertEquals(0, found(new History(limit, Mode.LOCAL).pass(3, 100, 101)));
    assertEquals(1, found(new History(limit, Mode.LOCAL).pass(4, 100, 101)));
  }

  @Test
  void countsALimitOfAllRequestsOverAllRules() {
    final RuleOptions options = new RuleOptions(List.of(), false, 100, true, false, 0);
    final LimitPlan large =
        new LimitPlan(Algorithm.SLIDING_LOG, 1_000, History.WINDOW_MS, 1, History.KEY);
    final History history =
        new History(
            rule(0, RulePlan.Kind.OWN, large, new CostPlan(1, 0), options),
            rule(1, RulePlan.Kind.OWN, large, new CostPlan(1, 0), options),
            rule(90, RulePlan.Kind.EVERYWHERE, TEN, new CostPlan(1, 0), RuleOptions.NONE));
    for (int i = 0; i < 5; i++) {
      history.askFor(0, 100 + i, 101 + i, Outcome.PASSED);
      history.askFor(1, 100 + i, 101 + i, Outcome.PASSED);
    }
    assertEquals(0, found(history));
    assertEquals(1, found(history.askFor(1, 110, 111, Outcome.PASSED)));
  }

  @Test
  void saysNothingOfAProcessWithoutRoomForItsKeys() {
    final History history = new History(Algorithm.SLIDING_LOG, 10, Mode.LOCAL).pass(11, 100, 101);
    assertEquals(1, found(history));
    assertEquals(0, found(history.log("WARN table of limits with rings: full: keys share")));
  }

  private static RulePlan ofTen(int mostCost, int enforcePercent, boolean idempotency) {
    return rule(
        0,
        RulePlan.Kind.OWN,
        TEN,
        new CostPlan(1, mostCost),
        new RuleOptions(List.of(), false, enforcePercent, false, idempotency, 0));
  }

  private static RulePlan rule(
      int number, RulePlan.Kind kind, LimitPlan limit, CostPlan cost, RuleOptions options) {
    return new RulePlan(
        number, kind, Mode.EXACT, List.of(limit), cost, RulePlan.OnStoreFailure.CLOSED, options);
  }

  @Test
  void namesTheSmallestSpan() {
    final History history = new History(Algorithm.SLIDING_LOG, 2, Mode.EXACT);
    history.pass(1, 0, 1).pass(1, 300, 301).pass(1, 400, 401);
    final Finding finding = new WindowJudge().judge(history.evidence()).get(0);
    assertEquals(0, finding.fromNs());
    assertEquals(401_000_000, finding.toNs());
    assertTrue(finding.text().contains("3 units passed of 2"), finding.text());
  }
}
