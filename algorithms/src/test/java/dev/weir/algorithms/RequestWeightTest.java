package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RequestWeightTest {
  private static final long NOW = 1_000_000_000L;
  private static final Limit PACED = Limit.gcra(1, 1_000, 100_000);

  @Test
  void bitsAreTheRulers() {
    assertEquals(4, RequestWeight.BYTES);
    assertEquals(4_095, RequestWeight.MAX_COST);
    assertEquals(0x0010_0000 | 1_000, RequestWeight.of(PACED, NOW + 1_000, 1, NOW));
    assertEquals(0xfff0_0000 | 16_383, RequestWeight.of(PACED, NOW + 16_383, 4_095, NOW));
    assertEquals(0x0020_0000 | 1 << 14 | 8_192, RequestWeight.of(PACED, NOW + 16_384, 2, NOW));
  }

  @Test
  void aSpanIsRoundedUpByLessThanAnEightThousandth() {
    final SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 100_000; i++) {
      final long spanNs = random.nextLong(1L << random.nextInt(58)) + 1;
      final long rounded = RequestWeight.spanNs(RequestWeight.of(PACED, NOW + spanNs, 1, NOW));
      assertTrue(rounded >= spanNs && rounded - spanNs <= spanNs / 8_192, spanNs + ": " + rounded);
    }
    for (int bits = 0; bits < 58; bits++) {
      final long spanNs = (1L << bits) - 1;
      final long rounded = RequestWeight.spanNs(RequestWeight.of(PACED, NOW + spanNs, 1, NOW));
      assertTrue(
          rounded >= spanNs && rounded - spanNs <= 1 + spanNs / 8_192, spanNs + ": " + rounded);
    }
  }

  @Test
  void oneRequestIsAtMostItselfAndASecondOneIsMore() {
    final int weight = RequestWeight.of(PACED, NOW + 2_000, 2, NOW);
    assertTrue(RequestWeight.isAtMost(weight, 2, NOW + 2_000, NOW));
    assertFalse(RequestWeight.isAtMost(weight, 2, NOW + 2_001, NOW));
    assertFalse(RequestWeight.isAtMost(weight, 1, NOW + 1, NOW), "a newcomer that owes less");
    final Limit fixed = Limit.fixedWindow(10, NOW, 0);
    final long one = fixed.charge(SlotLayout.EMPTY, null, 0, NOW, 1);
    final int counted = RequestWeight.of(fixed, one, 1, NOW);
    assertTrue(RequestWeight.isAtMost(counted, 1, one, NOW));
    assertFalse(RequestWeight.isAtMost(counted, 9, one + 1, NOW));
  }

  @Test
  void whatDoesNotCompareNeverGivesWay() {
    final long state = NOW + 1;
    assertEquals(RequestWeight.NEVER, RequestWeight.of(PACED, state, 4_096, NOW));
    final Limit fractions = Limit.tokenBucket(10, 1, 1_000_000, 1_000);
    assertEquals(RequestWeight.NEVER, RequestWeight.of(fractions, state, 1, NOW));
    final Limit ten = Limit.gcra(10, 1_000, 10);
    assertEquals(RequestWeight.NEVER, RequestWeight.of(ten, state, 6, NOW), "most of a budget");
    assertTrue(RequestWeight.of(ten, state, 5, NOW) != RequestWeight.NEVER);
    final Limit one = Limit.gcra(1, 1_000, 1);
    assertTrue(RequestWeight.of(one, state, 1, NOW) != RequestWeight.NEVER);
  }
}
