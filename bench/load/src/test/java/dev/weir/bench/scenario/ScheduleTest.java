package dev.weir.bench.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ScheduleTest {
  private static final long SECOND_NS = 1_000_000_000L;

  private static List<Long> due(Schedule.Cursor cursor) {
    final List<Long> due = new ArrayList<>();
    for (; cursor.dueNs() != Long.MAX_VALUE; cursor.advance()) {
      due.add(cursor.dueNs());
    }
    return due;
  }

  /** What all walkers of a schedule send, in the order of time. */
  private static List<Long> due(Schedule schedule, double... shares) {
    final List<Long> all = new ArrayList<>();
    for (Schedule.Cursor cursor : schedule.cursors(shares)) {
      final List<Long> one = due(cursor);
      for (int i = 1; i < one.size(); i++) {
        assertTrue(one.get(i - 1) <= one.get(i), "a step back in time at " + i);
      }
      all.addAll(one);
    }
    Collections.sort(all);
    return all;
  }

  private static double[] equal(int walkers) {
    final double[] shares = new double[walkers];
    java.util.Arrays.fill(shares, 1.0 / walkers);
    return shares;
  }

  @Test
  void aConstantRateIsDueAtEvenDistances() {
    final List<Long> due = due(Schedule.constant(10, SECOND_NS), 1);
    assertEquals(10, due.size());
    for (int i = 0; i < 10; i++) {
      assertEquals(50_000_000L + 100_000_000L * i, due.get(i), 1);
    }
  }

  @Test
  void walkersOfEqualSharesAreSpreadEvenlyAndSendWhatTheScheduleHas() {
    for (int walkers : new int[] {1, 2, 3, 7, 64, 256}) {
      final List<Long> due = due(Schedule.constant(1_000, SECOND_NS), equal(walkers));
      assertEquals(1_000, due.size(), 1, walkers + " walkers");
      for (int i = 1; i < due.size(); i++) {
        assertEquals(1_000_000, due.get(i) - due.get(i - 1), 2, walkers + " walkers, " + i);
      }
    }
  }

  @Test
  void manyWalkersSendTheFewRequestsThatThereAre() {
    assertEquals(1, due(Schedule.constant(1, SECOND_NS), equal(40)).size());
    assertEquals(10, due(Schedule.constant(10, SECOND_NS), equal(20)).size());
  }

  @Test
  void walkersOfUnequalSharesSendWhatTheScheduleHasWithinOneForEachTwo() {
    final SplittableRandom random = new SplittableRandom(1);
    for (int run = 0; run < 500; run++) {
      final double[] shares = new double[1 + random.nextInt(12)];
      double sum = 0;
      for (int i = 0; i < shares.length; i++) {
        shares[i] = 0.01 + random.nextDouble();
        sum += shares[i];
      }
      for (int i = 0; i < shares.length; i++) {
        shares[i] /= sum;
      }
      final int count = 1 + random.nextInt(2_000);
      final Schedule schedule = Schedule.constant(count, SECOND_NS);
      assertEquals(
          count, due(schedule, shares).size(), 1 + shares.length / 2.0, shares.length + " walkers");
    }
  }

  @Test
  void aBurstIsDueAtOnce() {
    final Schedule schedule = Stages.parse(List.of("burst=5,every=1s,for=2s"));
    assertEquals(
        List.of(0L, 0L, 0L, 0L, 0L, SECOND_NS, SECOND_NS, SECOND_NS, SECOND_NS, SECOND_NS),
        due(schedule, 1));
    assertEquals(due(schedule, 1), due(schedule, equal(5)));
  }

  @Test
  void nothingIsDueWhileTheRateIsZero() {
    final Schedule schedule =
        Stages.parse(List.of("rate=2,for=1s", "rate=0,for=10s", "rate=2,for=1s"));
    assertEquals(List.of(250L, 750L, 11_250L, 11_750L), millis(due(schedule, 1)));
    assertEquals(2, schedule.countBy(SECOND_NS));
    assertEquals(2, schedule.countBy(11 * SECOND_NS));
  }

  private static List<Long> millis(List<Long> ns) {
    return ns.stream().map(at -> Math.round(at / 1e6)).toList();
  }

  @Test
  void countsNothingBeforeItsStartAndAllBehindItsEnd() {
    final Schedule schedule = Schedule.constant(100, SECOND_NS);
    assertEquals(0, schedule.countBy(-SECOND_NS));
    assertEquals(0, schedule.countBy(0));
    assertEquals(50, schedule.countBy(SECOND_NS / 2), 1e-9);
    assertEquals(100, schedule.countBy(SECOND_NS));
    assertEquals(100, schedule.countBy(Long.MAX_VALUE));
    assertEquals(0, schedule.countBy(Long.MIN_VALUE));
  }

  @Test
  void aBurstAtTheStartCountsFromTheStart() {
    final Schedule schedule = Stages.parse(List.of("burst=500,every=10s,base=1,for=10s"));
    assertEquals(500, schedule.countBy(0));
    assertEquals(501, schedule.peakRate(), 0.2);
  }

  @Test
  void thePeakIsThatOfTheBusiestSecond() {
    assertEquals(100, Schedule.constant(100, 10 * SECOND_NS).peakRate(), 1e-3);
    assertEquals(100, Schedule.constant(100, SECOND_NS / 10).peakRate(), 1e-3);
    assertEquals(
        1_000,
        Stages.parse(List.of("rate=10,for=5s", "rate=1000,for=1s", "rate=10,for=5s")).peakRate(),
        1e-3);
    assertEquals(
        975, Stages.parse(List.of("ramp=0..1000,for=20s")).peakRate(), 1e-3, "the last second");
    assertEquals(400, Stages.parse(List.of("burst=100,every=333ms,for=10s")).peakRate(), 1e-3);
  }

  @Test
  void theMeanIsOverTheWholeOfIt() {
    assertEquals(55, Stages.parse(List.of("rate=10,for=1s", "rate=100,for=1s")).meanRate(), 1e-9);
  }
}
