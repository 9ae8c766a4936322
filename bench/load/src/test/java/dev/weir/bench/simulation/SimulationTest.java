package dev.weir.bench.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.simulation.SimulationSettings.Faults;
import dev.weir.bench.simulation.SimulationSettings.Network;
import dev.weir.bench.simulation.SimulationSettings.Traffic;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.Rate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Fleets of a few sidecars and simulated seconds. */
class SimulationTest {
  private static final long SECOND_NS = 1_000_000_000;

  private static final Network NETWORK = new Network(500_000, 0.05, 5_000_000);

  private static SimulationSettings settings(
      Mode mode, Algorithm algorithm, double load, double loss, long crashNs, int driftPpm) {
    return settings(
        mode, algorithm, Traffic.steady(load), new Faults(loss, crashNs, driftPpm, -1), 7);
  }

  private static SimulationSettings settings(
      Mode mode, Algorithm algorithm, Traffic traffic, Faults faults, long seed) {
    return settings(mode, limit(algorithm, "1000/1s"), 0, traffic, faults, seed);
  }

  private static SimulationSettings settings(
      Mode mode, LimitSpec limit, long lifeNs, Traffic traffic, Faults faults, long seed) {
    return new SimulationSettings(
        mode, limit, lifeNs, 10, 1, 1, 5 * SECOND_NS, traffic, NETWORK, faults, seed);
  }

  private static LimitSpec limit(Algorithm algorithm, String rate) {
    return new LimitSpec(algorithm, Rate.parse(rate), 0, null, 0, null, null, 0);
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
    assertEquals(0, figures.over);
    assertTrue(figures.unused > 0, "nothing was given back");
    assertTrue(figures.local() > 0.2, () -> "local " + figures.local());
    assertTrue(figures.admitted > 3_000, () -> "admitted " + figures.admitted);
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void exactModeNeverLetsMorePassThanTheLimit(Algorithm algorithm) {
    SimulationFigures figures = run(settings(Mode.EXACT, algorithm, 2, 0.05, SECOND_NS, 500));
    assertEquals(0, figures.over);
    assertTrue(figures.admitted > 3_000, () -> "admitted " + figures.admitted);
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void seesWhatAStoreThatGrantsAFifthTooMuchLetsPass(Algorithm algorithm) {
    SimulatedLimit more = new SimulatedLimit(limit(algorithm, "1200/1s"), 0);
    SimulationSettings settings = settings(Mode.LEASED, algorithm, 2, 0, 0, 0);
    try (Simulation simulation = new Simulation(settings, more)) {
      assertTrue(simulation.run().over > 0, "over 0");
    }
  }

  /** Leases bear clocks that are 1,950 ppm apart. */
  @Test
  void seesWhatClocksThatAreTooSlowTakeIntoTheNextWindow() {
    SimulationSettings settings =
        settings(Mode.LEASED, Algorithm.FIXED_WINDOW, 1.05, 0, 0, 500_000);
    assertTrue(run(settings).over > 0, "over 0");
  }

  @Test
  void seesThatEachSidecarLetsALimitOfItsOwnPassInModeLocal() {
    SimulationFigures figures = calm(Mode.LOCAL, 5);
    assertTrue(figures.over > 1_000, () -> "over " + figures.over);
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
    Faults faults = new Faults(0.05, SECOND_NS, 100, -1);
    Traffic traffic = Traffic.steady(1);
    SimulationSettings settings = settings(Mode.LEASED, Algorithm.GCRA, traffic, faults, 7);
    SimulationFigures first = run(settings);
    SimulationFigures again = run(settings);
    assertEquals(first.offered, again.offered);
    assertEquals(first.admitted, again.admitted);
    assertEquals(first.ops(), again.ops());
    assertEquals(first.mostOpsOfShard(), again.mostOpsOfShard());
    SimulationFigures other = run(settings(Mode.LEASED, Algorithm.GCRA, traffic, faults, 8));
    assertTrue(first.offered != other.offered || first.ops() != other.ops());
  }

  @Test
  void countsAnswersThatComeAfterTheDeadlineAsUndecidedAndGivesThemBack() {
    SimulationFigures figures = calm(Mode.EXACT, 0.5);
    assertEquals(0.05, figures.undecided(), 0.02);
    assertEquals(1.05, (double) figures.ops() / figures.offered, 0.02);
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void burstsOfCostlyRequestsLetNoMorePassThanTheLimit(Algorithm algorithm) {
    Traffic bursts = new Traffic(1.5, 7, SECOND_NS / 10, SECOND_NS / 2);
    SimulationFigures figures =
        run(settings(Mode.LEASED, algorithm, bursts, new Faults(0.02, SECOND_NS, 500, -1), 7));
    assertEquals(0, figures.over);
    assertEquals(5 * 1.5 * 1000 / 7, figures.offered, 100);
    assertTrue(figures.admitted > 200, () -> "admitted " + figures.admitted);
  }

  @ParameterizedTest
  @EnumSource(names = {"GCRA", "FIXED_WINDOW", "SLIDING_COUNTER"})
  void aFailoverLetsNoMorePassAgainThanWhatItsLostWritesGranted(Algorithm algorithm) {
    Traffic traffic = Traffic.steady(2);
    for (Mode mode : new Mode[] {Mode.LEASED, Mode.EXACT}) {
      Faults seen = new Faults(0, 0, 0, 0);
      assertEquals(0, run(settings(mode, algorithm, traffic, seen, 7)).over);
      Faults unseen = new Faults(0, 0, 0, 3 * SECOND_NS / 10);
      long over = run(settings(mode, algorithm, traffic, unseen, 7)).over;
      assertTrue(over > 0, () -> mode + " over " + over);
      assertTrue(over <= 1_000, () -> mode + " over " + over);
    }
  }

  @Test
  void aLongerLifeAsksLessAndHoldsMoreBack() {
    LimitSpec limit = limit(Algorithm.GCRA, "1000/1s");
    Traffic traffic = Traffic.steady(2);
    SimulationFigures brief =
        run(settings(Mode.LEASED, limit, SECOND_NS / 20, traffic, Faults.NONE, 7));
    SimulationFigures lasting =
        run(settings(Mode.LEASED, limit, SECOND_NS / 3, traffic, Faults.NONE, 7));
    assertTrue(lasting.ops() < brief.ops(), () -> lasting.ops() + " and " + brief.ops());
    assertTrue(lasting.room() > brief.room(), () -> lasting.room() + " and " + brief.room());
  }

  /** Ten sidecars, each with two requests at a time on their way. */
  @Test
  void requestsThatFindTheHandEmptyWaitForTheAskUnderWay() {
    SimulationFigures figures = calm(Mode.LEASED, 20);
    assertTrue(figures.opsPerAdmitted() < 2, () -> "ops " + figures.opsPerAdmitted());
  }
}
