package dev.weir.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.Programs;
import dev.weir.bench.rounds.LoadFigures;
import dev.weir.bench.rounds.Rounds;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Starts that are measured for a moment: that it measures what it says, not how fast it is. */
class ColdBenchIT {
  /** Long enough for a server on a busy machine to answer something in each. */
  private static final double SECOND = 0.25;

  @Test
  void measuresEachStartAndLeavesNothingRunning() throws Exception {
    Assumptions.assumeTrue(Programs.find("haproxy").isPresent(), "haproxy is not installed");
    final ColdBench bench =
        new ColdBench(List.of(new HaProxy()), new Rounds(1, SECOND, 0, Cores.UNPINNED, step -> {}));
    try (Upstream upstream = Upstream.inJava()) {
      bench.run(upstream);
    }
    assertEquals(Set.of(), bench.attendance.leftOut());
    assertEquals(ColdBench.SHAPES.size(), bench.starts.cells().size());
    for (ColdBench.Case when : bench.starts.cells()) {
      assertTrue(least(bench, when, ColdStart.Figures::readyMs) > 0);
      assertTrue(least(bench, when, ColdStart.Figures::firstMs) > 0);
      assertTrue(least(bench, when, ColdBenchIT::answered) > 0);
      assertTrue(least(bench, when, ColdStart.Figures::loadedMib) > 0);
    }
    final ColdReport cold = new ColdReport("command");
    cold.starts(bench);
    final String report = cold.markdown();
    assertTrue(report.contains("haproxy"), report);
    assertFalse(report.contains("NaN"), report);
    assertEquals(
        List.of(),
        ProcessHandle.current().descendants().map(each -> each.info().toString()).toList());
  }

  /** In all of the first seconds, each of which the clock of a process may be too coarse for. */
  private static double answered(ColdStart.Figures start) {
    return start.seconds().stream().mapToDouble(LoadFigures::perSecond).sum();
  }

  private static double least(
      ColdBench bench, ColdBench.Case when, ToDoubleFunction<ColdStart.Figures> figure) {
    return bench.starts.spread(when, "haproxy", figure).least();
  }
}
