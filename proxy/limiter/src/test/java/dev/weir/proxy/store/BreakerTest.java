package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BreakerTest {
  private static final long PATIENCE_NS = 20_000_000;

  private final Breaker breaker = new Breaker(PATIENCE_NS, below -> below - 1);

  /** Fails it from a time on until it opens; returns when it did. */
  private long open(long fromNs) {
    breaker.failed(fromNs);
    breaker.failed(fromNs + 1);
    breaker.failed(fromNs + PATIENCE_NS);
    assertEquals(Breaker.State.OPEN, breaker.state());
    return fromNs + PATIENCE_NS;
  }

  @Test
  void opensAtTheThirdFailureInARow() {
    breaker.failed(1);
    breaker.failed(1 + PATIENCE_NS);
    assertTrue(breaker.tryPass(1 + PATIENCE_NS));
    breaker.failed(1 + PATIENCE_NS);
    assertFalse(breaker.tryPass(1 + PATIENCE_NS));
  }

  @Test
  void takesFailuresOfOneMomentForOne() {
    for (int i = 0; i < 10; i++) {
      breaker.failed(1 + i);
    }
    assertTrue(breaker.tryPass(20));
    breaker.failed(1 + PATIENCE_NS);
    assertFalse(breaker.tryPass(1 + PATIENCE_NS));
  }

  @Test
  void beginsToCountAnewAfterASuccess() {
    breaker.failed(1);
    breaker.failed(1 + PATIENCE_NS);
    breaker.succeeded();
    breaker.failed(2 + PATIENCE_NS);
    breaker.failed(3 + PATIENCE_NS);
    breaker.failed(4 + PATIENCE_NS);
    assertEquals(Breaker.State.CLOSED, breaker.state());
  }

  @Test
  void letsOneProbePassWhenThePauseIsOver() {
    long openedNs = open(1);
    assertFalse(breaker.tryPass(openedNs + Breaker.FIRST_PAUSE_NS - 1));
    long overNs = openedNs + Breaker.FIRST_PAUSE_NS * 5 / 4;
    assertTrue(breaker.tryPass(overNs));
    assertEquals(Breaker.State.HALF_OPEN, breaker.state());
    assertFalse(breaker.tryPass(overNs + 1));
    breaker.succeeded();
    assertTrue(breaker.tryPass(overNs + 2));
  }

  @Test
  void pausesTwiceAsLongAfterEachProbeThatFailsUpToABound() {
    long nowNs = open(1);
    long pauseNs = Breaker.FIRST_PAUSE_NS;
    for (int probe = 0; probe < 10; probe++) {
      assertFalse(breaker.tryPass(nowNs + pauseNs - 1), "probe " + probe);
      nowNs += pauseNs * 5 / 4;
      assertTrue(breaker.tryPass(nowNs), "probe " + probe);
      breaker.failed(nowNs);
      pauseNs = Math.min(2 * pauseNs, Breaker.LAST_PAUSE_NS);
    }
    assertEquals(Breaker.LAST_PAUSE_NS, pauseNs);
  }

  @Test
  void pausesShortlyAgainOnceItHasBeenClosed() {
    long nowNs = open(1) + Breaker.FIRST_PAUSE_NS * 5 / 4;
    assertTrue(breaker.tryPass(nowNs));
    breaker.failed(nowNs);
    nowNs += Breaker.FIRST_PAUSE_NS * 5 / 2;
    assertTrue(breaker.tryPass(nowNs));
    breaker.succeeded();
    nowNs = open(nowNs);
    assertTrue(breaker.tryPass(nowNs + Breaker.FIRST_PAUSE_NS * 5 / 4));
  }
}
