package dev.weir.bench.torture.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.bench.torture.judge.Asked.Outcome;
import dev.weir.bench.torture.plan.Algorithm;
import dev.weir.bench.torture.plan.FaultPlan;
import dev.weir.bench.torture.plan.RulePlan.Mode;
import org.junit.jupiter.api.Test;

final class SuccessJudgeTest {
  private static final int MANY = 200;

  private static History history(Mode mode) {
    return new History(Algorithm.GCRA, 1_000_000, mode).pass(MANY, 10_000, 10_001);
  }

  private static int found(History history) {
    return new SuccessJudge().judge(history.evidence()).size();
  }

  @Test
  void seesLostAnswers() {
    final History history = history(Mode.LOCAL).ask(0, 8_000, Outcome.FAILED);
    assertEquals(0, found(history));
    assertEquals(1, found(history.ask(0, 8_000, Outcome.FAILED)));
  }

  @Test
  void excusesThemByAFaultOfTheirSidecar() {
    final History history = history(Mode.LOCAL).happen(FaultPlan.Kind.SIDECAR_KILLED, 3_000, 4_000);
    for (int i = 0; i < 10; i++) {
      history.ask(3_100, 3_200, Outcome.FAILED);
    }
    assertEquals(0, found(history));
  }

  @Test
  void excusesNothingOfModeLocalByAFaultOfTheStore() {
    for (Mode mode : new Mode[] {Mode.LOCAL, Mode.EXACT}) {
      final History history = history(mode).happen(FaultPlan.Kind.STORE_HUNG, 3_000, 4_000);
      for (int i = 0; i < 10; i++) {
        history.ask(3_100, 3_200, Outcome.UNDECIDED);
      }
      assertEquals(mode == Mode.LOCAL ? 1 : 0, found(history));
    }
  }

  @Test
  void seesAnswersThatTakeLong() {
    final History history = history(Mode.LOCAL);
    assertEquals(0, found(history.pass(2, 1_000, 4_000)));
    assertEquals(1, found(history.pass(10, 1_000, 4_000)));
  }
}
