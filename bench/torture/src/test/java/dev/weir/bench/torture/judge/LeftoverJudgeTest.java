package dev.weir.bench.torture.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.bench.torture.plan.Algorithm;
import dev.weir.bench.torture.plan.RulePlan.Mode;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

final class LeftoverJudgeTest {
  private static final String LOG = "2026-01-02T03:04:05.006Z INFO  Sidecar: all is well\n";

  private static int found(ProcessEnd end) {
    final History history = new History(Algorithm.GCRA, 1, Mode.LOCAL).end(end);
    return new LeftoverJudge().judge(history.evidence()).size();
  }

  private static ProcessEnd alive(
      double streams, int descriptors, int threads, long rssMib, String log) {
    return new ProcessEnd(
        0,
        1,
        false,
        false,
        OptionalInt.empty(),
        Map.of("weir_http2_streams_open", 0.0),
        Map.of("weir_http2_streams_open", streams),
        new ProcessEnd.Growth(50, descriptors),
        new ProcessEnd.Growth(20, threads),
        new ProcessEnd.Growth(150, rssMib),
        Map.of(),
        log);
  }

  private static ProcessEnd ended(boolean wasToEnd, boolean killed, int status) {
    return new ProcessEnd(
        0,
        1,
        wasToEnd,
        killed,
        OptionalInt.of(status),
        Map.of(),
        Map.of(),
        ProcessEnd.NOTHING,
        ProcessEnd.NOTHING,
        ProcessEnd.NOTHING,
        Map.of(),
        LOG);
  }

  @Test
  void takesAProcessThatIsAsBefore() {
    assertEquals(0, found(alive(0, 50, 20, 150 + ProcessEnd.RSS_MORE_MIB, LOG)));
  }

  @Test
  void seesEachKindOfLeak() {
    assertEquals(1, found(alive(1, 50, 20, 150, LOG)));
    assertEquals(1, found(alive(0, 51 + LeftoverJudge.DESCRIPTORS_MORE, 20, 150, LOG)));
    assertEquals(1, found(alive(0, 50, 21 + LeftoverJudge.THREADS_MORE, 150, LOG)));
    assertEquals(1, found(alive(0, 50, 20, 151 + ProcessEnd.RSS_MORE_MIB, LOG)));
  }

  @Test
  void seesAFaultInTheLog() {
    final String trace = LOG + "java.lang.IllegalStateException\n\tat dev.weir.Some.method\n";
    assertEquals(1, found(alive(0, 50, 20, 150, trace)));
    assertEquals(1, found(alive(0, 50, 20, 150, LOG + "... ERROR Loop: internal error: x\n")));
  }

  @Test
  void seesAnEndThatNobodyAskedFor() {
    assertEquals(1, found(ended(false, false, 3)));
    assertEquals(1, found(ended(true, false, 3)));
    assertEquals(1, found(ended(false, false, 0)));
    assertEquals(0, found(ended(true, false, 0)));
    assertEquals(0, found(ended(true, true, 137)));
  }
}
