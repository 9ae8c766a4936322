package dev.weir.bench.accuracy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ExactLogTest {
  private final ExactLog log = new ExactLog(2, 3, 100);

  @Test
  void admitsTheLimitAndNotOneMore() {
    assertTrue(log.admit(0, 1000));
    assertTrue(log.admit(0, 1000));
    assertTrue(log.admit(0, 1010));
    assertFalse(log.admit(0, 1010));
    assertEquals(3, log.count(0, 1010));
  }

  @Test
  void anAdmissionCountsForExactlyOneWindow() {
    log.add(0, 1000);
    assertEquals(1, log.count(0, 1099));
    assertEquals(0, log.count(0, 1100));
  }

  @Test
  void keysDoNotTouchEachOther() {
    for (int i = 0; i < 3; i++) {
      log.admit(0, 1000);
    }
    assertTrue(log.admit(1, 1000));
  }

  @Test
  void waitsForAsManyToLeaveAsAreTooMany() {
    assertEquals(0, log.waitNs(0, 1000));
    for (long timeNs : new long[] {1000, 1010, 1020, 1030}) {
      log.add(0, timeNs);
    }
    // Four where three are allowed: two must leave, at 1100 and 1110.
    assertEquals(70, log.waitNs(0, 1040));
    assertEquals(1, log.waitNs(0, 1109));
    assertEquals(0, log.waitNs(0, 1110));
  }

  @Test
  void agreesWithCountingOverAllThatCame() {
    final SplittableRandom random = new SplittableRandom(1);
    final List<Long> admitted = new ArrayList<>();
    long nowNs = 1;
    for (int i = 0; i < 5000; i++) {
      nowNs += random.nextInt(60);
      final long fromNs = nowNs - 100;
      final long count = admitted.stream().filter(timeNs -> timeNs > fromNs).count();
      assertEquals(count < 3, log.admit(0, nowNs), "request " + i);
      if (count < 3) {
        admitted.add(nowNs);
      }
    }
  }

  @Test
  void aQueueGrowsAroundItsEnd() {
    final ExactLog.TimeQueue queue = new ExactLog.TimeQueue();
    for (int i = 1; i <= 6; i++) {
      queue.add(i);
    }
    queue.dropUntil(4);
    for (int i = 7; i <= 20; i++) {
      queue.add(i);
    }
    assertEquals(16, queue.size());
    for (int i = 0; i < 16; i++) {
      assertEquals(5 + i, queue.get(i));
    }
  }
}
