package dev.weir.bench.fleet;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class UnixClockTest {
  @Test
  void readingsBeforeAndBehindAMomentAreOnItsSides() {
    final UnixClock clock = UnixClock.now();
    final long beforeNs = System.nanoTime();
    final long atUs = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    final long behindNs = System.nanoTime();
    assertTrue(clock.notAfterUs(beforeNs) <= atUs);
    assertTrue(clock.notBeforeUs(behindNs) >= atUs);
  }

  @Test
  void aSpanOfNothingIsNotTheWrongWayRound() {
    final UnixClock clock = UnixClock.now();
    final long ns = System.nanoTime();
    assertTrue(clock.notAfterUs(ns) <= clock.notBeforeUs(ns));
    assertTrue(clock.notBeforeUs(ns) - clock.notAfterUs(ns) < 1_000_000);
  }
}
