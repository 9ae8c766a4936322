package dev.weir.bench.decision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.Programs;
import dev.weir.bench.rounds.LoadFigures;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Rounds;
import dev.weir.proxy.loop.TransportKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Everything once, for a moment: that it measures what it says, not how fast it is. */
@Timeout(120)
class DecisionsIT {
  private static final Rounds ONCE = new Rounds(1, 0.2, 0.2, Cores.UNPINNED, step -> {});
  private static final int KEYS = 320;

  @AfterEach
  void nothingThatWasStartedIsLeft() {
    assertEquals(
        List.of(),
        ProcessHandle.current().descendants().map(each -> each.info().toString()).toList());
  }

  private static Path installed(String program) {
    assumeTrue(Programs.find(program).isPresent(), program + " is not installed");
    return Programs.find(program).orElseThrow();
  }

  @Test
  void everyServerAnswersWhatItIsAsked() throws Exception {
    final List<CallServer> servers =
        List.of(
            new GrpcJavaEcho(),
            new EngineEcho(TransportKind.EPOLL),
            new WeirServer(TransportKind.EPOLL, null),
            new Absent());
    final CallBench bench = new CallBench(servers, KEYS, ONCE);
    bench.run(List.of(Ask.CHECK, Ask.CHECKS, Ask.DESCRIPTORS));
    assertEquals(Set.of("absent: not installed"), bench.attendance.leftOut());
    final RoundTable<CallLoad, LoadFigures> table = bench.table;
    assertEquals(9, table.cells().size());
    for (CallLoad load : table.cells()) {
      assertEquals(load.budgets() == 1 ? 3 : 1, table.names(load).size(), load.toString());
      for (String name : table.names(load)) {
        assertEquals(0, table.spread(load, name, LoadFigures::wrongPercent).most(), name);
        assertTrue(table.spread(load, name, LoadFigures::perSecond).least() > 0, name);
      }
    }
    final DecisionReport report = new DecisionReport("");
    report.calls(bench);
    assertFalse(report.markdown().contains("NaN"), report.markdown());
  }

  @Test
  void whatRedisDecidesIsCountedThere() throws Exception {
    final Path redis = installed("redis-server");
    final RoundTable<String, StoreCallBench.Figures> table =
        new StoreCallBench(KEYS, ONCE).run(redis);
    assertEquals(List.of("8x64", "8x8"), table.cells());
    for (String cell : table.cells()) {
      assertEquals(List.of("weir", StoreCallBench.PIPELINES), table.names(cell));
      assertEquals(
          4,
          table.spread(cell, StoreCallBench.PIPELINES, StoreCallBench.Figures::commands).median());
      final double requests = table.spread(cell, "weir", StoreCallBench.Figures::requests).median();
      assertTrue(requests > 0 && requests < 1, cell + ": " + requests);
    }
  }

  @Test
  void nginxAsksWeirForEachRequest() throws Exception {
    final Path nginx = installed("nginx");
    final RoundTable<String, HttpCheckBench.Figures> table = new HttpCheckBench(ONCE).run(nginx);
    for (HttpCheckBench.Limiter limiter : HttpCheckBench.Limiter.values()) {
      final double perSecond =
          table.spread("", limiter.toString(), HttpCheckBench.Figures::perSecond).median();
      assertTrue(perSecond > 0, limiter.toString());
    }
  }

  /** One that is not installed. */
  private record Absent() implements CallServer {
    @Override
    public String name() {
      return "absent";
    }

    @Override
    public Set<Ask> asks() {
      return Set.of(Ask.CHECK);
    }

    @Override
    public String version() throws IOException {
      throw new IOException("not installed");
    }

    @Override
    public List<String> command(Path folder, int port) {
      throw new IllegalStateException("it is not there");
    }
  }
}
