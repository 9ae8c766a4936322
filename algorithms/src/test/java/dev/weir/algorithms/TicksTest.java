package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TicksTest {
  private static final long MAX = 1L << 61;
  private static final BigInteger ONE_TICK = BigInteger.ONE.shiftLeft(Ticks.LENGTH_BITS);

  @Test
  void thereAndBackIsExactForAnyLengthFromOneToTwo() {
    final long seed = Long.getLong("weir.seed", 1);
    final SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 1_000_000; i++) {
      final long length = length(random, i);
      final long rate = rate(length);
      final long tick = 1 + (random.nextLong() & (MAX / 2 - 1)) >>> random.nextInt(61);
      final long ns = Ticks.toNs(tick, length);
      assertEquals(tick, Ticks.ofNs(ns, length, rate), () -> "seed " + seed);
    }
  }

  @Test
  void aTimeIsReadAsTheFirstTickThatIsNotBeforeIt() {
    final long seed = Long.getLong("weir.seed", 1);
    final SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 1_000_000; i++) {
      final long length = length(random, i);
      final long ns = 1 + (random.nextLong() & (MAX - 1)) >>> random.nextInt(61);
      final long tick = Ticks.ofNs(Math.max(ns, 1), length, rate(length));
      assertTrue(Ticks.toNs(tick, length) >= Math.max(ns, 1), () -> "seed " + seed);
      assertTrue(Ticks.toNs(tick - 1, length) < Math.max(ns, 1), () -> "seed " + seed);
    }
  }

  @Test
  void aTickIsTheNextWholeNanosecond() {
    final SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 100_000; i++) {
      final long length = length(random, i);
      final long tick = random.nextLong() & (MAX / 2 - 1);
      final BigInteger[] exact =
          BigInteger.valueOf(tick)
              .multiply(BigInteger.valueOf(length))
              .divideAndRemainder(ONE_TICK);
      assertEquals(exact[0].longValueExact() + exact[1].signum(), Ticks.toNs(tick, length));
    }
  }

  /** From just above 1 to just below 2. */
  private static long length(SplittableRandom random, int i) {
    final long fraction = random.nextLong() & ((1L << Ticks.LENGTH_BITS) - 1);
    final long one = 1L << Ticks.LENGTH_BITS;
    return switch (i % 4) {
      case 0 -> one + 4 + (fraction >>> random.nextInt(62));
      case 1 -> Math.max(Long.MAX_VALUE - (fraction >>> random.nextInt(62)), one + 4);
      default -> one + Math.max(fraction, 4);
    };
  }

  private static long rate(long length) {
    return BigInteger.ONE
        .shiftLeft(Ticks.LENGTH_BITS + Ticks.RATE_BITS)
        .divide(BigInteger.valueOf(length))
        .longValueExact();
  }
}
