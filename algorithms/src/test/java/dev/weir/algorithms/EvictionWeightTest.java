package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EvictionWeightTest {
  private static final long NOW = 1_000_000_000L;
  private static final Limit PACED = Limit.gcra(1, 1_000, 100_000);

  @Test
  void bitsAreTheRulers() {
    assertEquals(4, EvictionWeight.BYTES);
    assertEquals(4_095, EvictionWeight.MAX_COST);
    assertEquals(0x0010_0000 | 1_000, EvictionWeight.of(PACED, NOW + 1_000, 1, NOW));
    assertEquals(0xfff0_0000 | 16_383, EvictionWeight.of(PACED, NOW + 16_383, 4_095, NOW));
    assertEquals(0x0020_0000 | 1 << 14 | 8_192, EvictionWeight.of(PACED, NOW + 16_384, 2, NOW));
  }

  @Test
  void aSpanIsRoundedUpByLessThanAnEightThousandth() {
    final SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 100_000; i++) {
      final long spanNs = random.nextLong(1L << random.nextInt(58)) + 1;
      final long rounded = EvictionWeight.spanNs(EvictionWeight.of(PACED, NOW + spanNs, 1, NOW));
      assertTrue(rounded >= spanNs && rounded - spanNs <= spanNs / 8_192, spanNs + ": " + rounded);
    }
    for (int bits = 0; bits < 58; bits++) {
      final long spanNs = (1L << bits) - 1;
      final long rounded = EvictionWeight.spanNs(EvictionWeight.of(PACED, NOW + spanNs, 1, NOW));
      assertTrue(
          rounded >= spanNs && rounded - spanNs <= 1 + spanNs / 8_192, spanNs + ": " + rounded);
    }
  }

  @Test
  void oneRequestIsAtMostItselfAndASecondOneIsMore() {
    final int weight = EvictionWeight.of(PACED, NOW + 2_000, 2, NOW);
    assertTrue(EvictionWeight.isAtMost(weight, 2, NOW + 2_000, NOW));
    assertFalse(EvictionWeight.isAtMost(weight, 2, NOW + 2_001, NOW));
    assertFalse(EvictionWeight.isAtMost(weight, 1, NOW + 1, NOW), "a newcomer that owes less");
    final Limit fixed = Limit.fixedWindow(10, NOW, 0);
    final long one = fixed.charge(SlotLayout.EMPTY, null, 0, NOW, 1);
    final int counted = EvictionWeight.of(fixed, one, 1, NOW);
    assertTrue(EvictionWeight.isAtMost(counted, 1, one, NOW));
    assertFalse(EvictionWeight.isAtMost(counted, 9, one + 1, NOW));
  }

  @Test
  void whatDoesNotCompareNeverGivesWay() {
    final long state = NOW + 1;
    assertEquals(EvictionWeight.NEVER, EvictionWeight.of(PACED, state, 4_096, NOW));
    final Limit fractions = Limit.tokenBucket(10, 1, 1_000_000, 1_000);
    assertEquals(EvictionWeight.NEVER, EvictionWeight.of(fractions, state, 1, NOW));
    final Limit ten = Limit.gcra(10, 1_000, 10);
    assertEquals(EvictionWeight.NEVER, EvictionWeight.of(ten, state, 6, NOW), "most of a budget");
    assertTrue(EvictionWeight.of(ten, state, 5, NOW) != EvictionWeight.NEVER);
    final Limit one = Limit.gcra(1, 1_000, 1);
    assertTrue(EvictionWeight.of(one, state, 1, NOW) != EvictionWeight.NEVER);
  }
}
