package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LoopClockTest {
  @Test
  void showsTheTimeOfTheLastReading() {
    long[] time = {5};
    LoopClock clock = new LoopClock(() -> time[0]);
    time[0] = 9;
    assertEquals(5, clock.nowNs());
    assertEquals(9, clock.tick());
    assertEquals(9, clock.nowNs());
  }

  @Test
  void startsAtOneOrLaterAndIsOneForAllLoops() {
    LoopClock first = new LoopClock();
    LoopClock second = new LoopClock();
    assertTrue(first.nowNs() >= 1);
    assertTrue(second.nowNs() >= first.nowNs());
    assertTrue(first.tick() >= second.nowNs());
  }

  @Test
  void followsTheTimeOfDayWhenItIsSetAndNotWhenItIsSlewed() {
    long epochNs = LoopClock.unixEpochNs();
    try {
      LoopClock.follow(epochNs + TimeUnit.MILLISECONDS.toNanos(90));
      assertEquals(epochNs, LoopClock.unixEpochNs());
      LoopClock.follow(epochNs - TimeUnit.MINUTES.toNanos(63));
      assertEquals(epochNs - TimeUnit.MINUTES.toNanos(63), LoopClock.unixEpochNs());
    } finally {
      LoopClock.follow(epochNs);
    }
    LoopClock.followTimeOfDay();
    assertEquals(epochNs, LoopClock.unixEpochNs(), "nobody has set it");
  }

  /** To the resolution of the system's time of day, and what it was set by since the start. */
  @Test
  void knowsWhenUnixTimeBegan() {
    long beforeMs = Instant.now().toEpochMilli();
    long nowNs = new LoopClock().nowNs();
    long afterMs = Instant.now().toEpochMilli();
    long unixMs = TimeUnit.NANOSECONDS.toMillis(nowNs - LoopClock.unixEpochNs());
    assertTrue(LoopClock.unixEpochNs() < 0);
    assertTrue(unixMs >= beforeMs - 1000 && unixMs <= afterMs + 1000, unixMs + " ms");
  }
}
