package dev.weir.bench.torture.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;

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

final class PromiseJudgeTest {
  private static int found(History history) {
    return new PromiseJudge().judge(history.evidence()).size();
  }

  private static History history(boolean dryRun, int enforcePercent, boolean idempotency) {
    return new History(
        new RulePlan(
            0,
            RulePlan.Kind.OWN,
            Mode.EXACT,
            List.of(new LimitPlan(Algorithm.GCRA, 1, History.WINDOW_MS, 1, History.KEY)),
            new CostPlan(1, 0),
            RulePlan.OnStoreFailure.CLOSED,
            new RuleOptions(List.of(), dryRun, enforcePercent, false, idempotency, 0)));
  }

  @Test
  void seesARefusalWhereNobodyIsRefused() {
    assertEquals(1, found(history(true, 100, false).ask(0, 1, Outcome.REFUSED)));
    assertEquals(1, found(history(false, 0, false).ask(0, 1, Outcome.REFUSED)));
    assertEquals(0, found(history(false, 1, false).ask(0, 1, Outcome.REFUSED)));
  }

  @Test
  void seesTheRefusalOfARequestThatWasGranted() {
    final History history = history(false, 100, true).retry(0, 0, 1, Outcome.PASSED);
    assertEquals(0, found(history.retry(1, 2, 3, Outcome.REFUSED)), "of another key");
    assertEquals(1, found(history.retry(0, 4, 5, Outcome.REFUSED)));
    assertEquals(0, found(history.happen(FaultPlan.Kind.STORE_KILLED, 1, 2)), "keys are lost");
  }

  @Test
  void aGrantIsUsedAgainThreeTimesOnly() {
    final History history = history(false, 100, true).retry(0, 0, 1, Outcome.PASSED);
    for (int i = 1; i <= 3; i++) {
      history.retry(0, 10 * i, 10 * i + 1, Outcome.PASSED);
    }
    assertEquals(0, found(history.retry(0, 50, 51, Outcome.REFUSED)));
  }
}
