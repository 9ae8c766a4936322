package dev.weir.bench.torture.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.bench.torture.plan.Algorithm;
import dev.weir.bench.torture.plan.RulePlan.Mode;
import org.junit.jupiter.api.Test;

final class RevivalJudgeTest {
  @Test
  void seesABudgetThatDoesNotComeBack() {
    final History history = new History(Algorithm.GCRA, 1, Mode.LEASED).revive(true);
    assertEquals(0, new RevivalJudge().judge(history.evidence()).size());
    history.revive(false);
    assertEquals(1, new RevivalJudge().judge(history.evidence()).size());
  }
}
