package dev.weir.bench.torture.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.bench.torture.plan.Algorithm;
import dev.weir.bench.torture.plan.RulePlan.Mode;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

final class HeldJudgeTest {
  private static int found(String gauge, double peak) {
    final ProcessEnd end =
        new ProcessEnd(
            0,
            1,
            true,
            false,
            OptionalInt.of(0),
            Map.of(),
            Map.of(),
            ProcessEnd.NOTHING,
            ProcessEnd.NOTHING,
            ProcessEnd.NOTHING,
            Map.of(gauge, peak),
            "");
    final History history = new History(Algorithm.GCRA, 1, Mode.LOCAL).end(end);
    return new HeldJudge().judge(history.evidence()).size();
  }

  @Test
  void takesWhatTheManualAllows() {
    assertEquals(0, found(ProcessEnd.STREAMS, HeldJudge.STREAMS_MOST));
    assertEquals(0, found(ProcessEnd.DECISION_STREAMS, 100));
  }

  @Test
  void seesMoreThanThat() {
    assertEquals(1, found(ProcessEnd.STREAMS, HeldJudge.STREAMS_MOST + 1));
    assertEquals(1, found(ProcessEnd.DECISION_STREAMS, 1_000));
  }
}
