package dev.weir.algorithms.adaptive;

import static dev.weir.algorithms.adaptive.SimulatedService.MS;
import static dev.weir.algorithms.adaptive.SimulatedService.about;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * Why {@link Gradient2} is what it is: beside a number that somebody chose, AIMD, and Gradient2 as
 * it was published. The service has 10 workers and 20 ms, so it does 500 a second; the load is a
 * half of that, then twice as much for half an hour, then a half again while the service needs 60
 * ms.
 */
class AdaptiveComparisonTest {
  private static final int MIN = 5;
  private static final int MAX = 100;

  /** The figures of one limit in the last minute of each part of the simulation. */
  private record Outcome(
      int halfPassed,
      int doublePassed,
      double doubleMs,
      int lowest,
      int slowPassed,
      double slowMs) {
    static Outcome of(SimulatedLimit limit) {
      SimulatedService service = new SimulatedService(limit, 10, about(20 * MS), 250, 1);
      service.run(60).run(60);
      final int half = service.passed;
      service.rate = 1_000;
      service.run(1_740).run(60);
      final int twice = service.passed;
      final double twiceMs = service.meanMs();
      final int lowest = service.lowest;
      service.rate = 250;
      service.work = about(60 * MS);
      service.run(240).run(60);
      return new Outcome(half, twice, twiceMs, lowest, service.passed, service.meanMs());
    }

    String row(String name) {
      return String.format(
          Locale.ROOT,
          "| %s | %d | %d, %.0f ms, limit from %d | %d, %.0f ms |%n",
          name,
          halfPassed,
          doublePassed,
          doubleMs,
          lowest,
          slowPassed,
          slowMs);
    }
  }

  @Test
  void onlyTheOneThatShipsNeedsNoNumberOfTheService() {
    Outcome ours = Outcome.of(SimulatedLimit.of(new Gradient2(MIN, MAX)));
    Outcome published = Outcome.of(SimulatedLimit.published(MIN, MAX));
    Outcome aimd100 = Outcome.of(SimulatedLimit.aimd(MIN, MAX, 100 * MS));
    Outcome aimd500 = Outcome.of(SimulatedLimit.aimd(MIN, MAX, 500 * MS));
    Outcome fixed15 = Outcome.of(SimulatedLimit.fixed(15));
    Outcome fixed100 = Outcome.of(SimulatedLimit.fixed(100));
    String table =
        ours.row("as built")
            + published.row("as published")
            + aimd100.row("AIMD, 100 ms")
            + aimd500.row("AIMD, 500 ms")
            + fixed15.row("15")
            + fixed100.row("100");
    assertTrue(ours.halfPassed > 14_700, table);
    assertTrue(ours.doublePassed > 29_000 && ours.doubleMs < 35 && ours.lowest > 10, table);
    assertTrue(ours.slowPassed > 7_500 && ours.slowMs < 90, table);
    // An overload that lasts becomes normal.
    assertTrue(published.doubleMs > 150 && published.slowMs > 300, table);
    // A time that is good for 20 ms shuts a service of 60 ms out; one for both allows a queue.
    assertTrue(aimd100.slowPassed < 6_500, table);
    assertTrue(aimd500.doubleMs > 150, table);
    // A number is right for one service; one for any allows a queue.
    assertTrue(fixed15.slowMs > 70, table);
    assertTrue(fixed100.doubleMs > 150, table);
  }
}
