package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PacedLimitTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long DAY = 86_400 * SECOND;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0                   | 1000000000          | 1     | limit: 0 (expected: 1 or more)
          -1                  | 1000000000          | 1     | limit: -1 (expected: 1 or more)
          1                   | 0                   | 1     | windowNs: 0 (expected: from 1 to 288230376151711743)
          1                   | -5                  | 1     | windowNs: -5 (expected: from 1 to 288230376151711743)
          1                   | 288230376151711744 | 1     | windowNs: 288230376151711744 (expected: from 1 to 288230376151711743)
          1                   | 1000000000          | 0     | burst: 0 (expected: 1 or more)
          1                   | 1000000000          | -9    | burst: -9 (expected: 1 or more)
          11                  | 10                  | 1     | limit: 11 per 10 ns (expected: at most one per nanosecond)
          9223372036854775807 | 1000000000          | 1     | limit: 9223372036854775807 per 1000000000 ns (expected: at most one per nanosecond)
          1                   | 86400000000000      | 13345 | burst: 13345 (expected: at most 3335, as a whole budget must come back in less than 288230376151711744 ns)
          1                   | 1000000000          | 9223372036854775807 | burst: 9223372036854775807 (expected: at most 288230376, as a whole budget must come back in less than 288230376151711744 ns)
          """)
  void namesTheFaultOfAGcraLimit(long limit, long windowNs, long burst, String message) {
    final IllegalArgumentException thrown =
        assertThrows(IllegalArgumentException.class, () -> Limit.gcra(limit, windowNs, burst));
    assertEquals(message, thrown.getMessage());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0    | 1 | 1000000000 | 1       | capacity: 0 (expected: 1 or more)
          1    | 0 | 1000000000 | 1       | refillTokens: 0 (expected: 1 or more)
          1    | 1 | 0          | 1       | refillPeriodNs: 0 (expected: from 1 to 288230376151711743)
          1    | 1 | 1000000000 | 0       | costScale: 0 (expected: from 1 to 1000000)
          1    | 1 | 1000000000 | 1000001 | costScale: 1000001 (expected: from 1 to 1000000)
          1    | 1 | 10         | 11      | refillTokens: 1 per 10 ns at costScale 11 (expected: at most one unit, 1/costScale of a token, per nanosecond)
          9223372036854775807 | 1 | 1000000000 | 1000000 | capacity: 9223372036854775807 at costScale 1000000 (expected: at most 288230376151)
          2000000000 | 1 | 1000000000 | 10 | capacity: 2000000000 (expected: at most 288230376, as a whole budget must come back in less than 288230376151711744 ns)
          """)
  void namesTheFaultOfATokenBucket(
      long capacity, long refill, long periodNs, long scale, String message) {
    final IllegalArgumentException thrown =
        assertThrows(
            IllegalArgumentException.class,
            () -> Limit.tokenBucket(capacity, refill, periodNs, scale));
    assertEquals(message, thrown.getMessage());
  }

  @Test
  void unitsInARowTakeTheirTimeToWithinTwoNanosecondsForAnyRate() {
    final long seed = Long.getLong("weir.seed", 1);
    final SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 200_000; i++) {
      final long windowNs = random.nextBoolean() ? SECOND : 1 + random.nextLong(DAY);
      final long limit = 1 + random.nextLong(Math.min(windowNs, 10_000_000));
      final long most =
          BigInteger.valueOf(Limit.MAX_TIME_NS - 1)
              .multiply(BigInteger.valueOf(limit))
              .divide(BigInteger.valueOf(windowNs))
              .longValueExact();
      final long units = 1 + random.nextLong(most);
      final long nowNs = 1 + random.nextLong(Limit.MAX_TIME_NS);
      final long tatNs = PacedLimit.ofGcra(limit, windowNs, most).charge(0, nowNs, units);
      // tat - now, and units * T, times limit: so that both are whole.
      final BigInteger off =
          BigInteger.valueOf(tatNs - nowNs)
              .multiply(BigInteger.valueOf(limit))
              .subtract(BigInteger.valueOf(units).multiply(BigInteger.valueOf(windowNs)));
      assertTrue(
          off.abs().compareTo(BigInteger.valueOf(2 * limit)) <= 0,
          () -> "seed " + seed + ": " + units + " at " + limit + " per " + windowNs);
    }
  }

  @ParameterizedTest
  @CsvSource({"1,86400000000000", "3,1000000000", "9999999,1000000000", "10000000,1000000000"})
  void aMillionChargesOneByOneDoNotDrift(long limit, long windowNs) {
    final PacedLimit one = PacedLimit.ofGcra(limit, windowNs, 1);
    final long charges = Math.min(1_000_000, Limit.MAX_TIME_NS / (windowNs / limit) / 2);
    long nowNs = 1;
    long tatNs = one.charge(0, nowNs, 1);
    for (long i = 1; i < charges; i++) {
      nowNs += one.retryAfterNs(tatNs, nowNs, 1);
      assertEquals(Limit.REFUSED, one.charge(tatNs, nowNs - 1, 1));
      tatNs = one.charge(tatNs, nowNs, 1);
      assertNotEquals(Limit.REFUSED, tatNs);
    }
    final BigInteger idealNs =
        BigInteger.valueOf(charges - 1)
            .multiply(BigInteger.valueOf(windowNs))
            .divide(BigInteger.valueOf(limit));
    assertEquals(idealNs.longValueExact() + 1, nowNs, 2.0);
  }

  @Test
  void aBurstPassesWholeAndNotOneMoreAtAnyRate() {
    final SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 100_000; i++) {
      final long limit = 1 + random.nextLong(10_000_000);
      final long burst = 1 + random.nextLong(1_000_000);
      final PacedLimit any = PacedLimit.ofGcra(limit, SECOND, burst);
      final long nowNs = 1 + random.nextLong(1L << 57);
      final long tatNs = any.charge(0, nowNs, burst);
      assertNotEquals(Limit.REFUSED, tatNs);
      assertEquals(0, any.available(tatNs, nowNs));
      assertEquals(burst, any.current(tatNs, nowNs));
      assertEquals(Limit.REFUSED, any.charge(tatNs, nowNs, 1));
    }
  }

  @Test
  void convertsUnitsBetweenScalesRoundingUp() {
    final Limit whole = Limit.tokenBucket(100, 1, SECOND);
    final Limit tenths = Limit.tokenBucket(100, 1, SECOND, 10);
    final Limit small = Limit.tokenBucket(5, 1, SECOND, 10);
    assertEquals(3, whole.unitsFrom(tenths, 21));
    assertEquals(2, whole.unitsFrom(tenths, 20));
    assertEquals(70, tenths.unitsFrom(whole, 7));
    assertEquals(50, small.unitsFrom(whole, 7));
    assertEquals(50, small.unitsFrom(tenths, 700));
  }

  @Test
  void equalLimitsHaveOneFingerprintAndOthersAnother() {
    final Limit limit = Limit.gcra(10, SECOND, 5);
    assertEquals(limit.fingerprint(), Limit.gcra(10, SECOND, 5).fingerprint());
    assertNotEquals(limit.fingerprint(), Limit.gcra(11, SECOND, 5).fingerprint());
    assertNotEquals(limit.fingerprint(), Limit.gcra(10, SECOND, 6).fingerprint());
    assertNotEquals(limit.fingerprint(), Limit.gcra(10, 2 * SECOND, 5).fingerprint());
  }
}
