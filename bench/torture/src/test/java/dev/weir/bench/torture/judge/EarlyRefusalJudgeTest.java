package dev.weir.bench.torture.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.bench.torture.judge.Asked.Outcome;
import dev.weir.bench.torture.plan.Algorithm;
import dev.weir.bench.torture.plan.KeyPlan;
import dev.weir.bench.torture.plan.LimitPlan;
import dev.weir.bench.torture.plan.RulePlan.Mode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class EarlyRefusalJudgeTest {
  private static int found(History history) {
    return new EarlyRefusalJudge().judge(history.evidence()).size();
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void seesARefusalOfAFreeBudget(Algorithm algorithm) {
    for (Mode mode : new Mode[] {Mode.LOCAL, Mode.EXACT}) {
      final History history = new History(algorithm, 3, mode).pass(2, 100, 101);
      assertEquals(1, found(history.ask(110, 111, Outcome.REFUSED)));
    }
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void takesARefusalOfAUsedBudget(Algorithm algorithm) {
    final History history = new History(algorithm, 3, Mode.EXACT).pass(3, 100, 101);
    assertEquals(0, found(history.ask(110, 111, Outcome.REFUSED)));
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void seesARefusalLongAfterAllCameBack(Algorithm algorithm) {
    final History history = new History(algorithm, 3, Mode.LOCAL).pass(3, 100, 101);
    assertEquals(1, found(history.ask(5_100, 5_101, Outcome.REFUSED)));
  }

  @Test
  void countsWhatMayHaveBeenCharged() {
    final History history = new History(Algorithm.SLIDING_LOG, 3, Mode.LOCAL).pass(2, 100, 101);
    history.ask(102, 103, Outcome.FAILED).ask(4_000, 4_001, Outcome.REFUSED);
    assertEquals(1, found(history));
    final History recent = new History(Algorithm.SLIDING_LOG, 3, Mode.LOCAL).pass(2, 100, 101);
    assertEquals(0, found(recent.ask(102, 103, Outcome.FAILED).ask(104, 105, Outcome.REFUSED)));
  }

  @Test
  void saysNothingOfWhatOthersMayHaveUsed() {
    final LimitPlan all =
        new LimitPlan(Algorithm.GCRA, 3, History.WINDOW_MS, 3, new KeyPlan(List.of(), false));
    final History history = new History(all, Mode.LOCAL).ask(0, 1, Outcome.REFUSED);
    assertEquals(1, found(history));
    assertEquals(0, found(history.attack()));
  }

  @Test
  void saysNothingOfAProcessWithoutRoomForItsKeys() {
    final History history = new History(Algorithm.GCRA, 3, Mode.LOCAL).ask(0, 1, Outcome.REFUSED);
    assertEquals(1, found(history));
    assertEquals(0, found(history.log("WARN limit table: full: keys without room")));
  }

  @Test
  void saysNothingOfModeLeased() {
    final History history = new History(Algorithm.GCRA, 3, Mode.LEASED);
    assertEquals(0, found(history.ask(0, 1, Outcome.REFUSED)));
  }
}
