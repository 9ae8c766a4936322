package dev.weir.proxy.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rule.Algorithm;
import dev.weir.proxy.rule.LimitSpec;
import dev.weir.proxy.rule.Mode;
import dev.weir.proxy.rule.Rate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Fleets of a few sidecars and simulated seconds. */
class SimulationTest {
  private static final long SECOND_NS = 1_000_000_000;

  private static SimulationSettings settings(
      Mode mode, Algorithm algorithm, double load, double loss, long crashNs, int driftPpm) {
    return new SimulationSettings(
        mode,
        new LimitSpec(algorithm, Rate.parse("1000/1s"), 0, null, 0, null, null, 0),
        10,
        load,
        1,
        1,
        4 * SECOND_NS,
        500_000,
        0.05,
        5_000_000,
        loss,
        crashNs,
        driftPpm,
        7);
  }

  private static SimulationFigures run(SimulationSettings settings) {
    try (Simulation simulation = new Simulation(settings)) {
      return simulation.run();
    }
  }

  private static SimulationFigures calm(Mode mode, double load) {
    return run(settings(mode, Algorithm.GCRA, load, 0, 0, 0));
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void leasesNeverLetMorePassThanTheLimitWhateverIsLostOrCrashes(Algorithm algorithm) {
    SimulationFigures figures = run(settings(Mode.LEASED, algorithm, 2, 0.05, SECOND_NS / 2, 500));
    assertEquals(0, figures.over());
    assertTrue(figures.unusedShare() > 0, "nothing was given back");
    assertTrue(figures.local() > 0.2, () -> "local " + figures.local());
    assertTrue(figures.admitted() > 3_000, () -> "admitted " + figures.admitted());
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void exactModeNeverLetsMorePassThanTheLimit(Algorithm algorithm) {
    SimulationFigures figures = run(settings(Mode.EXACT, algorithm, 2, 0.05, SECOND_NS, 500));
    assertEquals(0, figures.over());
    assertTrue(figures.admitted() > 3_000, () -> "admitted " + figures.admitted());
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void seesWhatAStoreThatGrantsAFifthTooMuchLetsPass(Algorithm algorithm) {
    LimitSpec more = new LimitSpec(algorithm, Rate.parse("1200/1s"), 0, null, 0, null, null, 0);
    SimulationSettings settings = settings(Mode.LEASED, algorithm, 2, 0, 0, 0);
    try (Simulation simulation = new Simulation(settings, new SimulatedLimit(more))) {
      assertTrue(simulation.run().over() > 0, "over 0");
    }
  }

  /** Leases bear clocks that are 1,950 ppm apart. */
  @Test
  void seesWhatClocksThatAreTooSlowTakeIntoTheNextWindow() {
    SimulationSettings settings =
        settings(Mode.LEASED, Algorithm.FIXED_WINDOW, 1.05, 0, 0, 500_000);
    assertTrue(run(settings).over() > 0, "over 0");
  }

  @Test
  void seesThatEachSidecarLetsALimitOfItsOwnPassInModeLocal() {
    SimulationFigures figures = calm(Mode.LOCAL, 5);
    assertTrue(figures.over() > 1_000, () -> "over " + figures.over());
    assertEquals(1, figures.local());
    assertEquals(0, figures.ops());
  }

  @Test
  void asksTheStoreOfEachRequestInModeExactAndOfFewInModeLeased() {
    SimulationFigures exact = calm(Mode.EXACT, 0.9);
    SimulationFigures leased = calm(Mode.LEASED, 0.9);
    assertEquals(0, exact.local());
    assertTrue(exact.opsPerAdmitted() >= 1, () -> "exact " + exact.opsPerAdmitted());
    assertTrue(leased.opsPerAdmitted() < 0.5, () -> "leased " + leased.opsPerAdmitted());
    assertTrue(leased.local() > 0.7, () -> "local " + leased.local());
    assertTrue(leased.net() < exact.net(), () -> leased.net() + " and " + exact.net());
  }

  @Test
  void givesTheSameFiguresForTheSameSeedAndOthersForAnother() {
    SimulationSettings settings = settings(Mode.LEASED, Algorithm.GCRA, 1, 0.05, SECOND_NS, 100);
    SimulationFigures first = run(settings);
    SimulationFigures again = run(settings);
    assertEquals(first.offered(), again.offered());
    assertEquals(first.admitted(), again.admitted());
    assertEquals(first.ops(), again.ops());
    assertEquals(first.mostOpsOfShard(), again.mostOpsOfShard());
    SimulationFigures other =
        run(
            new SimulationSettings(
                settings.mode(),
                settings.limit(),
                settings.sidecars(),
                settings.load(),
                settings.keys(),
                settings.shards(),
                settings.lengthNs(),
                settings.delayNs(),
                settings.slowShare(),
                settings.deadlineNs(),
                settings.lossShare(),
                settings.crashEveryNs(),
                settings.driftPpm(),
                settings.seed() + 1));
    assertTrue(first.offered() != other.offered() || first.ops() != other.ops());
  }

  @Test
  void countsAnswersThatComeAfterTheDeadlineAsUndecidedAndGivesThemBack() {
    SimulationFigures figures = calm(Mode.EXACT, 0.5);
    assertEquals(0.05, figures.undecided(), 0.02);
    assertEquals(1.05, (double) figures.ops() / figures.offered(), 0.02);
  }
}
