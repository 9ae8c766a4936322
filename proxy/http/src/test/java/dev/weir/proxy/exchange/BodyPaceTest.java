package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BodyPaceTest {
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long START_NS = 7;

  private final BodyPace pace = new BodyPace();

  @Test
  void isNotTooSlowBeforeTheTimeIsOver() {
    pace.begin(START_NS);
    assertFalse(pace.tooSlow(START_NS + 10 * SECOND_NS, 10 * SECOND_NS, 100));
    assertTrue(pace.tooSlow(START_NS + 10 * SECOND_NS + 1, 10 * SECOND_NS, 100));
  }

  @Test
  void isTooSlowBelowTheLeastSpeedOnly() {
    pace.begin(START_NS);
    pace.passed(1_999);
    assertTrue(pace.tooSlow(START_NS + 20 * SECOND_NS, 10 * SECOND_NS, 100));
    pace.begin(START_NS);
    pace.passed(2_000);
    assertFalse(pace.tooSlow(START_NS + 20 * SECOND_NS, 10 * SECOND_NS, 100));
  }

  @Test
  void isNotExcusedByAGoodBeginning() {
    pace.begin(START_NS);
    pace.passed(1_000_000);
    assertFalse(pace.tooSlow(START_NS + 11 * SECOND_NS, 10 * SECOND_NS, 100));
    assertFalse(pace.tooSlow(START_NS + 21 * SECOND_NS, 10 * SECOND_NS, 100));
    assertTrue(pace.tooSlow(START_NS + 22 * SECOND_NS, 10 * SECOND_NS, 100));
  }
}
