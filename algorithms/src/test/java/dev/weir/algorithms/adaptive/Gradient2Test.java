package dev.weir.algorithms.adaptive;

import static dev.weir.algorithms.adaptive.SimulatedService.MS;
import static dev.weir.algorithms.adaptive.SimulatedService.SECOND;
import static dev.weir.algorithms.adaptive.SimulatedService.about;
import static dev.weir.algorithms.adaptive.SimulatedService.always;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.adaptive.SimulatedService.Work;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The number beside simulated services, mostly of 40 workers and 20 ms: they do 2,000 requests a
 * second, and 40 are in flight without a queue.
 */
class Gradient2Test {
  private static final int MIN = 10;
  private static final int MAX = 500;
  private static final Work USUAL = about(20 * MS);

  private final Gradient2 gradient = new Gradient2(MIN, MAX);
  private final SimulatedLimit limit = SimulatedLimit.of(gradient);

  private SimulatedService service(int workers, Work work, double rate) {
    return new SimulatedService(limit, workers, work, rate, 7);
  }

  private static void assertBetween(double low, double high, double found, Object said) {
    assertTrue(low <= found && found <= high, found + ", not " + low + " to " + high + ": " + said);
  }

  @Test
  void beginsAtTheMinimumAndLetsAllPassWithinTwoSeconds() {
    assertEquals(MIN, gradient.limit());
    SimulatedService service = service(400, USUAL, 15_000).run(2);
    assertTrue(service.refused > 0);
    assertEquals(0, service.run(60).refused, service.toString());
  }

  @Test
  void underTwiceTheLoadTimesStayNearTheUnloadedOnesAndNoWorkerIsIdle() {
    SimulatedService service = service(40, USUAL, 1_000).run(60);
    service.rate = 4_000;
    service.run(5);
    for (int minute = 0; minute < 3; minute++) {
      service.run(60);
      assertBetween(0.98 * 120_000, 1.02 * 120_000, service.passed, service);
      assertBetween(25, 35, service.meanMs(), service);
      assertBetween(45, 80, service.lowest, service);
      assertBetween(45, 80, service.highest, service);
    }
    service.rate = 1_000;
    service.run(1);
    assertEquals(0, service.run(60).refused, service.toString());
  }

  /** The published algorithm is at its maximum by then: {@link AdaptiveComparisonTest}. */
  @ParameterizedTest
  @ValueSource(doubles = {1.05, 2})
  void doesNotTakeALastingOverloadForNormal(double load) {
    SimulatedService service = service(10, USUAL, 250).run(60);
    service.rate = load * 500;
    service.run(1_800).run(60);
    assertBetween(20, 40, service.meanMs(), service);
    assertBetween(0.94 * 30_000, 1.05 * 30_000, service.passed, service);
  }

  @Test
  void findsItsNumberWhereTheLoadIsTooMuchFromTheStart() {
    SimulatedService service = service(40, USUAL, 8_000).run(10).run(60);
    assertBetween(0.98 * 120_000, 1.02 * 120_000, service.passed, service);
    assertBetween(20, 40, service.meanMs(), service);
  }

  /** Example: the service slows from 20 to 60 ms, however little it has to do. */
  @Test
  void fallsToTheMinimumAndTakesTimesThatStayLongForNormalOnesThen() {
    SimulatedService service = service(10_000, always(20 * MS), 1_000).run(60);
    assertTrue(gradient.limit() > 40, service.toString());
    service.work = always(60 * MS);
    service.run(5);
    assertEquals(MIN, gradient.limit());
    assertEquals(MIN, service.run(20).highest);
    assertEquals(0, service.run(90).run(60).refused, service.toString());
    service.work = always(20 * MS);
    service.run(180);
    assertEquals(0, service.refused, service.toString());
    assertBetween(19 * MS, 22 * MS, gradient.unloadedNs(), service);
  }

  @Test
  void risesAgainWhenTheServiceIsItself() {
    SimulatedService service = service(40, USUAL, 1_000).run(60);
    service.work = about(60 * MS);
    service.run(5);
    assertTrue(gradient.limit() < 15, service.toString());
    service.work = USUAL;
    service.run(5);
    assertEquals(0, service.run(60).refused, service.toString());
  }

  @Test
  void aSlowLeakRefusesNobody() {
    SimulatedService service =
        service(200, (random, now) -> (long) (20 * MS + 40.0 * MS * now / (600 * SECOND)), 1_000);
    service.run(2);
    assertEquals(0, service.run(598).refused, service.toString());
    assertBetween(50 * MS, 60 * MS, gradient.unloadedNs(), service);
  }

  @Test
  void loadThatGrowsSlowlyDoesNotMakeItsQueueNormal() {
    SimulatedService service = service(10, USUAL, 100);
    for (int second = 0; second < 1_800; second++) {
      service.rate = 100 + second / 2.0;
      service.run(1);
    }
    service.run(60);
    assertBetween(0.95 * 30_000, 1.05 * 30_000, service.passed, service);
    assertBetween(20, 45, service.meanMs(), service);
  }

  @Test
  void afterAnIdleHourNobodyIsRefused() {
    SimulatedService service = service(40, USUAL, 1_000).run(60);
    final int before = gradient.limit();
    service.rate = 0;
    service.run(3_600);
    assertEquals(before, gradient.limit());
    service.rate = 1_000;
    assertEquals(0, service.run(60).refused, service.toString());
  }

  @Test
  void oneRequestInTenSecondsMovesLittle() {
    SimulatedService service = service(40, USUAL, 1_000).run(60);
    final int before = gradient.limit();
    service.rate = 0.1;
    service.run(36_000);
    assertEquals(before, gradient.limit(), 10);
    service.rate = 1_000;
    assertEquals(0, service.run(60).refused, service.toString());
  }

  @Test
  void oneInTwentyThatTakesAHundredTimesAsLongRefusesNobody() {
    Work uneven = (random, now) -> random.nextInt(20) == 0 ? 1_000 * MS : 10 * MS;
    SimulatedService service = service(1_000, uneven, 500).run(5);
    assertEquals(0, service.run(300).refused, service.toString());
  }

  @Test
  void aServiceThatAnswers503IsGivenWhatItTakes() {
    SimulatedService service = service(40, always(20 * MS), 1_000);
    service.queueLength = 20;
    service.run(60);
    service.rate = 4_000;
    service.run(10).run(60);
    assertBetween(0.98 * 120_000, 1.02 * 120_000, service.passed, service);
    assertTrue(service.dropped < service.refused, service.toString());
    assertBetween(50, 75, service.lowest, service);
    service.rate = 1_000;
    service.run(1);
    assertEquals(0, service.run(60).refused, service.toString());
  }

  @Test
  void aServiceThatHangsGetsTheMinimumAndIsFoundAgain() {
    SimulatedService service = service(40, always(20 * MS), 1_000);
    service.timeoutNs = SECOND;
    service.run(60);
    service.work = always(5 * SECOND);
    service.run(600);
    assertEquals(MIN, gradient.limit());
    service.work = always(20 * MS);
    service.run(30);
    assertEquals(0, service.run(60).refused, service.toString());
  }

  @Test
  void followsServicesOfOneMillisecondAndOfFiveSeconds() {
    SimulatedService fast = service(8, about(MS), 4_000).run(60);
    fast.rate = 20_000;
    fast.run(5).run(60);
    assertBetween(0.95 * 480_000, 1.02 * 480_000, fast.passed, fast);
    assertBetween(1, 2, fast.meanMs(), fast);

    Gradient2 ofSlow = new Gradient2(2, 50);
    SimulatedService slow =
        new SimulatedService(SimulatedLimit.of(ofSlow), 4, about(5 * SECOND), 0.4, 7).run(3_600);
    slow.rate = 3;
    slow.run(600).run(3_600);
    assertBetween(0.9 * 2_880, 1.1 * 2_880, slow.passed, slow);
    assertBetween(5_000, 10_000, slow.meanMs(), slow);
  }

  /** Gives a window of equal samples. */
  private void window(int samples, long timeMs, int inFlight, long fromNs) {
    for (int i = 0; i < samples; i++) {
      gradient.answered(timeMs * MS, inFlight, fromNs + i * SECOND / (samples - 1));
    }
  }

  @Test
  void risesOnlyWhileHalfOfItIsInUse() {
    window(10, 20, 4, SECOND);
    assertEquals(10, gradient.limit());
    window(10, 20, 5, 3 * SECOND);
    assertEquals(15, gradient.limit());
    window(10, 20, 7, 5 * SECOND);
    assertEquals(15, gradient.limit());
    window(10, 20, 8, 7 * SECOND);
    assertEquals(22, gradient.limit());
  }

  @Test
  void fallsOnlyWhileMoreThanTheMinimumIsInUse() {
    for (int i = 0; i < 20; i++) {
      window(10, 20, i < 10 ? 4 : MAX, (2 * i + 1) * SECOND);
    }
    assertEquals(MAX, gradient.limit());
    final int before = gradient.limit();
    window(10, 60, MIN, 50 * SECOND);
    assertEquals(before, gradient.limit());
    window(10, 60, MIN + 1, 52 * SECOND);
    assertBetween(0.89 * before, 0.93 * before, gradient.limit(), "limit");
  }

  @Test
  void theFirstWindowTellsTheUnloadedTimeWhateverIsInUse() {
    window(10, 20, MAX, SECOND);
    assertEquals(20 * MS, gradient.unloadedNs());
  }

  @Test
  void oneOutlierMovesNothing() {
    window(10, 20, 5, SECOND);
    window(10, 20, 8, 3 * SECOND);
    final int before = gradient.limit();
    gradient.answered(3_600 * SECOND, 20, 5 * SECOND);
    window(9, 20, 9, 6 * SECOND);
    assertTrue(gradient.limit() >= before);
    assertBetween(20 * MS, 25 * MS, gradient.unloadedNs(), "unloaded");
  }

  @Test
  void staysWithinItsBoundsWhateverComes() {
    Random random = new Random(28);
    for (int round = 0; round < 200; round++) {
      final int min = 1 + random.nextInt(100);
      final int max = min + random.nextInt(1_000);
      Gradient2 any = new Gradient2(min, max);
      long nowNs = 1;
      long longestNs = 1;
      for (int i = 0; i < 5_000; i++) {
        nowNs += (long) Math.pow(10, random.nextInt(12));
        long timeNs = random.nextInt(50) == 0 ? 0 : (long) Math.pow(10, 18 * random.nextDouble());
        int inFlight = 1 + random.nextInt(2 * max);
        if (random.nextInt(4) == 0) {
          any.dropped(inFlight, nowNs);
        } else {
          any.answered(timeNs, inFlight, nowNs - random.nextInt(1_000));
          longestNs = Math.max(longestNs, timeNs);
        }
        assertBetween(min, max, any.limit(), "limit");
        assertBetween(0, longestNs, any.unloadedNs(), "unloaded");
      }
    }
  }
}
