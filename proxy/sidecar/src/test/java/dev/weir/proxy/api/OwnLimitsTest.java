package dev.weir.proxy.api;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Decision;
import org.junit.jupiter.api.Test;

class OwnLimitsTest {
  private static final int CALLERS = 8_192;

  @Test
  void whoOwesMostStaysWhereMoreCallersComeThanAreRemembered() {
    Decision decision = new Decision();
    try (OwnLimits limits = new OwnLimits(() -> 1)) {
      assertTrue(limits.charge(OwnLimits.Kind.WRITES, "greedy", OwnLimits.WRITES, decision));
      for (int i = 0; i < 2 * CALLERS; i++) {
        assertTrue(limits.charge(OwnLimits.Kind.READS, "caller" + i, 1, decision), "caller " + i);
      }
      assertFalse(limits.charge(OwnLimits.Kind.WRITES, "greedy", 1, decision));
      int whole = 0;
      for (int i = 0; i < CALLERS; i++) {
        whole +=
            limits.charge(OwnLimits.Kind.READS, "caller" + i, OwnLimits.READS, decision) ? 1 : 0;
      }
      assertTrue(whole > 0, "some of the first have given way");
    }
  }
}
