package dev.weir.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.compare.Comparison.Cell;
import dev.weir.bench.compare.Contender.Outcome;
import dev.weir.bench.compare.Contender.Site;
import dev.weir.bench.compare.ProxyBench.ProxySettings;
import dev.weir.bench.compare.Upstream.Services;
import dev.weir.bench.process.Cores;
import dev.weir.bench.process.Programs;
import dev.weir.bench.rounds.LoadFigures;
import dev.weir.bench.rounds.Rounds;
import dev.weir.proxy.loop.TransportKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Everything once, for a moment: that it measures what it says, not how fast it is. */
class CompareIT {
  private static final int KEYS = 100;
  private static final double SECONDS = 0.2;
  private static final double WARM_UP_SECONDS = 0.05;

  @AfterEach
  void nothingThatWasStartedIsLeft() {
    assertEquals(
        List.of(),
        ProcessHandle.current().descendants().map(each -> each.info().toString()).toList());
  }

  private static Comparison compare(List<Contender> contenders, List<Outcome> outcomes, Wire wire)
      throws IOException, InterruptedException {
    final ProxySettings settings =
        new ProxySettings(
            outcomes,
            List.of(KEYS),
            List.of(wire),
            contenders,
            List.of(Shape.parse("4")),
            true,
            new Rounds(1, SECONDS, WARM_UP_SECONDS, Cores.UNPINNED, step -> {}));
    try (Services services = new Services(Upstream.inJava(), Upstream.inHttp2())) {
      return new ProxyBench(settings).run(services);
    }
  }

  private static List<Contender> installed() {
    final List<Contender> installed = new ArrayList<>();
    for (Contender contender : Contenders.of(List.of("nginx", "haproxy", "weir-epoll"), null)) {
      if (!contender.isPeer() || Programs.find(contender.name()).isPresent()) {
        installed.add(contender);
      }
    }
    return installed;
  }

  @Test
  void whatIsInstalledServesInEveryCell() throws Exception {
    final List<Contender> installed = installed();
    assertTrue(installed.stream().anyMatch(each -> !each.isPeer()), "Weir is built here");
    final Comparison comparison =
        compare(installed, List.of(Outcome.PASS, Outcome.REFUSE), Wire.HTTP1);
    assertEquals(Set.of(), comparison.attendance.leftOut());
    assertEquals(4, comparison.figures.cells().size());
    for (Cell cell : comparison.figures.cells()) {
      assertEquals(
          installed.stream().map(Contender::name).toList(), comparison.figures.names(cell));
      for (String name : comparison.figures.names(cell)) {
        assertTrue(comparison.figures.spread(cell, name, LoadFigures::perSecond).least() > 0, name);
        assertTrue(
            comparison.figures.spread(cell, name, LoadFigures::wrongPercent).most() < 100, name);
        assertTrue(
            comparison.figures.spread(cell, name, LoadFigures::residentMib).least() > 0, name);
      }
    }
    final String tables = CompareReport.tables(comparison);
    assertFalse(tables.contains("NaN"), tables);
  }

  @Test
  void asManyRulesAsAFileHasAreServed() throws Exception {
    final Contender many = new WeirSidecar(TransportKind.EPOLL).withRules(10_000);
    final Comparison comparison = compare(List.of(many), List.of(Outcome.PASS), Wire.HTTP1);
    assertEquals(Set.of(), comparison.attendance.leftOut());
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"GRPC", "HTTP2_TLS", "RESUMED"})
  void everyWireIsSpokenByWhatIsInstalled(Wire wire) throws Exception {
    final List<Contender> installed = installed();
    final Comparison comparison = compare(installed, List.of(Outcome.PASS), wire);
    assertEquals(Set.of(), comparison.attendance.leftOut());
    for (Cell cell : comparison.figures.cells()) {
      for (Contender each : installed) {
        final double wrong =
            comparison.figures.spread(cell, each.name(), LoadFigures::wrongPercent).most();
        assertTrue(wrong < 50, each.name() + ": " + wrong + " % wrong");
      }
    }
  }

  @Test
  void whatIsNotThereIsNamedWithTheReasonAndTheOthersAreMeasured() throws Exception {
    final Contender there = Contenders.of(List.of("weir-epoll"), null).get(0);
    final Comparison comparison =
        compare(
            List.of(
                new Broken("absent", new IOException("not installed")),
                new Broken("mute", null),
                there),
            List.of(Outcome.PASS),
            Wire.HTTP1);
    assertEquals(
        Set.of("absent: not installed", "mute, http/1.1, pass: mute ended with 3: no such flag"),
        comparison.attendance.leftOut());
    assertEquals(
        List.of("weir-epoll"), comparison.figures.names(comparison.figures.cells().get(0)));
  }

  /** One that is not installed, or that does not start. */
  private record Broken(String name, IOException missing) implements Contender {
    @Override
    public boolean isPeer() {
      return true;
    }

    @Override
    public String version() throws IOException {
      if (missing != null) {
        throw missing;
      }
      return name;
    }

    @Override
    public String setUp(Site site) {
      return "";
    }

    @Override
    public List<String> command(Site site) {
      return List.of("sh", "-c", "echo no such flag; exit 3");
    }
  }
}
