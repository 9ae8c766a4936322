package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ServerTimeTest {
  private final ServerTime time = new ServerTime();

  @Test
  void isUnknownBeforeTheFirstAnswer() {
    assertFalse(time.isKnown());
    time.answered(1, 1);
    assertTrue(time.isKnown());
    assertEquals(0, time.us(1));
  }

  @Test
  void isNeverLaterThanTheServersClockWas() {
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 10_000; i++) {
      // The server is so far ahead, and its clock is up to 500 ppm fast or slow.
      long aheadUs = 1_700_000_000_000_000L + random.nextLong(1_000_000);
      double pace = 1 + (random.nextDouble() - 0.5) / 1_000;
      long passedNs = 1 + random.nextLong(1L << random.nextInt(10, 45));
      long decidedNs = passedNs + random.nextLong(1L << random.nextInt(10, 45));
      long nowNs = decidedNs + random.nextLong(50_000_000);
      long serverUs = aheadUs + (long) (decidedNs * pace / 1_000);
      time.answered(serverUs, nowNs);
      long passedUs = (long) (serverUs - (decidedNs - passedNs) * pace / 1_000);
      assertTrue(time.us(passedNs) <= passedUs);
      assertEquals(
          passedUs,
          time.us(passedNs),
          50_100 + (decidedNs - passedNs) / 1_000 * 0.002 + 2,
          "no earlier than it must be");
    }
  }
}
