package dev.weir.bench.torture.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.bench.torture.plan.Algorithm;
import dev.weir.bench.torture.plan.CostPlan;
import dev.weir.bench.torture.plan.FaultPlan;
import dev.weir.bench.torture.plan.LimitPlan;
import dev.weir.bench.torture.plan.RuleOptions;
import dev.weir.bench.torture.plan.RulePlan;
import dev.weir.bench.torture.plan.RulePlan.Mode;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SlotJudgeTest {
  /** Two requests of an identity may be in flight. */
  private static History two(Mode mode) {
    final LimitPlan limit = new LimitPlan(Algorithm.GCRA, 100, 1_000, 100, History.KEY);
    final RuleOptions options =
        new RuleOptions(List.of(), false, 100, false, false, 0, RuleOptions.NONE.refusal(), 2);
    return new History(
        new RulePlan(
            0,
            RulePlan.Kind.OWN,
            mode,
            List.of(limit),
            new CostPlan(1, 0),
            RulePlan.OnStoreFailure.CLOSED,
            options));
  }

  private static int found(History history) {
    return new SlotJudge().judge(history.evidence()).size();
  }

  @Test
  void seesOneMoreAtTheServiceThanThereAreSlots() {
    final History history = two(Mode.EXACT).serve(1, 0, 20).serve(2, 5, 30);
    assertEquals(0, found(history.serve(1, 20, 40)), "as the first one ended");
    assertEquals(1, found(history.serve(2, 25, 26)));
  }

  @Test
  void aProcessOfModeLocalHasSlotsOfItsOwn() {
    final History history = two(Mode.LOCAL).serve(1, 0, 20).serve(2, 0, 20).serve(1, 5, 20);
    assertEquals(0, found(history));
    assertEquals(1, found(history.serve(1, 6, 7)));
  }

  @Test
  void saysNothingOfAStoreThatLostItsRecords() {
    final History history = two(Mode.EXACT).serve(1, 0, 20).serve(1, 0, 20).serve(1, 0, 20);
    assertEquals(1, found(history));
    assertEquals(0, found(history.happen(FaultPlan.Kind.STORE_KILLED, 1, 2)));
  }
}
