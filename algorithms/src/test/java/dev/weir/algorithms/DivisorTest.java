package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DivisorTest {
  @Test
  void dividesAsDivisionDoes() {
    final SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 100_000; i++) {
      final long divisor = 4 + random.nextLong(1L << random.nextInt(1, 61)) % (1L << 60);
      final Divisor by = new Divisor(divisor);
      assertEquals(divisor, by.divisor());
      for (int j = 0; j < 8; j++) {
        check(by, random.nextLong(1L << random.nextInt(1, 61)));
        final long multiple = divisor * random.nextLong(Divisor.MAX_DIVIDEND / divisor + 1);
        check(by, multiple);
        check(by, Math.max(multiple - 1, 0));
      }
      check(by, 0);
      check(by, Divisor.MAX_DIVIDEND);
    }
  }

  @Test
  void dividesByTheEdgesOfItsRange() {
    for (long divisor : new long[] {4, 5, 7, 8, (1L << 59) - 1, 1L << 59, Divisor.MAX_DIVIDEND}) {
      final Divisor by = new Divisor(divisor);
      for (long dividend : new long[] {0, 1, divisor - 1, divisor, Divisor.MAX_DIVIDEND}) {
        check(by, dividend);
      }
    }
  }

  private static void check(Divisor by, long dividend) {
    assertEquals(dividend / by.divisor(), by.quotient(dividend));
    assertEquals(dividend / by.divisor() * by.divisor(), by.floor(dividend));
  }
}
