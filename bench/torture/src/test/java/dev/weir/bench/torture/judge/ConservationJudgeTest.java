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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ConservationJudgeTest {
  private static final long DAY_MS = 86_400_000;

  /** Behind the beginning of a day, which the test's time is. */
  private static final long BEGAN_MS = 5_000;

  private static int found(History history) {
    return new ConservationJudge().judge(history.from(BEGAN_MS).evidence()).size();
  }

  private static History history(Algorithm algorithm, Mode mode) {
    return new History(algorithm, 100, DAY_MS, mode).pass(10, 100, 101);
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void seesUnitsThatVanishOrAppear(Algorithm algorithm) {
    // A sidecar counts the windows of its sliding counters from its start.
    final boolean isKnown = algorithm != Algorithm.SLIDING_COUNTER;
    for (Mode mode : isKnown ? Mode.values() : new Mode[] {Mode.EXACT, Mode.LEASED}) {
      assertEquals(0, found(history(algorithm, mode).read(20_000, 10)));
      assertEquals(1, found(history(algorithm, mode).read(20_000, 8)));
      assertEquals(1, found(history(algorithm, mode).read(20_000, 11)));
    }
  }

  @Test
  void whoIsNotRefusedIsChargedUntilTheLimit() {
    final LimitPlan limit = new LimitPlan(Algorithm.SLIDING_LOG, 5, DAY_MS, 5, History.KEY);
    final RuleOptions half = new RuleOptions(List.of(), false, 50, false, false, 0);
    final RulePlan rule =
        new RulePlan(
            0,
            RulePlan.Kind.OWN,
            Mode.EXACT,
            List.of(limit),
            new CostPlan(1, 0),
            RulePlan.OnStoreFailure.CLOSED,
            half);
    final History history = new History(rule).pass(10, 100, 101);
    assertEquals(0, found(history.read(20_000, 5)));
    assertEquals(1, found(history.read(20_000, 4)));
  }

  @Test
  void leavesOpenWhatMayHaveBeenCharged() {
    final History history = history(Algorithm.SLIDING_LOG, Mode.EXACT);
    history.ask(200, 300, Outcome.FAILED);
    assertEquals(0, found(history.read(20_000, 10).read(20_000, 11)));
    assertEquals(1, found(history.read(20_000, 12)));
  }

  @Test
  void takesWhatAStoreMayLoseAndALeaseMayKeep() {
    final History emptied = history(Algorithm.SLIDING_LOG, Mode.EXACT);
    emptied.happen(FaultPlan.Kind.STORE_KILLED, 150, 200);
    assertEquals(0, found(emptied.read(20_000, 0)));
    final History killed = history(Algorithm.SLIDING_LOG, Mode.LEASED);
    killed.happen(FaultPlan.Kind.SIDECAR_KILLED, 150, 200);
    assertEquals(0, found(killed.read(20_000, 20)));
    assertEquals(1, found(killed.read(20_000, 9)));
  }
}
