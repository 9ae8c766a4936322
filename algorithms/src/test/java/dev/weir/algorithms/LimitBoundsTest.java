package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Bounds of the algorithms that count in windows, to the last unit and nanosecond. */
class LimitBoundsTest {
  private static final long MILLISECOND = 1_000_000L;
  private static final long SECOND = 1_000 * MILLISECOND;
  private static final long LONGEST = Limit.MAX_WINDOW_NS;
  private static final long MOST = Long.MAX_VALUE;

  static Stream<Arguments> faults() {
    return Stream.of(
        fault(() -> Limit.fixedWindow(0, SECOND, 0), "limit: 0 (expected: 1 or more)"),
        fault(() -> Limit.fixedWindow(-1, SECOND, 0), "limit: -1 (expected: 1 or more)"),
        fault(
            () -> Limit.fixedWindow(1 << 30, SECOND, 0),
            "limit: 1073741824 (expected: at most 1073741823 for 1000000000 ns)"),
        fault(
            () -> Limit.fixedWindow(MOST, SECOND, 0),
            "limit: 9223372036854775807 (expected: at most 1073741823 for 1000000000 ns)"),
        fault(() -> Limit.fixedWindow(1, 0, 0), window("0")),
        fault(() -> Limit.fixedWindow(1, -SECOND, 0), window("-1000000000")),
        fault(() -> Limit.fixedWindow(1, 524_287, 0), window("524287")),
        fault(() -> Limit.fixedWindow(1, LONGEST + 1, 0), window("144115188075855872")),
        fault(() -> Limit.slidingCounter(1, MOST), window("9223372036854775807")),
        fault(
            () -> Limit.fixedWindow(1, CalendarUnit.DAY, ZoneOffset.UTC, Long.MIN_VALUE),
            "epochNs: -9223372036854775808"
                + " (expected: from -4611686018427387904 to 288230376151711744)"),
        fault(() -> Limit.slidingCounter(0, SECOND), "limit: 0 (expected: 1 or more)"),
        fault(
            () -> Limit.slidingCounter(32_768, SECOND),
            "limit: 32768 (expected: at most 32767 for 1000000000 ns)"),
        fault(() -> Limit.slidingLog(0, SECOND), "limit: 0 (expected: from 1 to 262144)"),
        fault(
            () -> Limit.slidingLog(262_145, SECOND), "limit: 262145 (expected: from 1 to 262144)"),
        fault(() -> Limit.slidingLog(1, 1), window("1")),
        fault(() -> Limit.bucketRing(0, SECOND, 10), "limit: 0 (expected: 1 or more)"),
        fault(
            () -> Limit.bucketRing(524_288, SECOND, 1000),
            "limit: 524288 (expected: at most 524287 for 1000000 ns)"),
        fault(() -> Limit.bucketRing(1, SECOND, 1), "subWindows: 1 (expected: from 2 to 262144)"),
        fault(
            () -> Limit.bucketRing(1, SECOND, 3),
            "subWindows: 3 (expected: a divisor of 1000000000 ns)"),
        fault(
            () -> Limit.bucketRing(1, SECOND, 2000),
            "windowNs / subWindows: 500000 (expected: from 524288 to 144115188075855871)"),
        fault(() -> Limit.leakyBucket(0, 1, SECOND), "capacity: 0 (expected: 1 or more)"),
        fault(() -> Limit.leakyBucket(1, 0, SECOND), "leakUnits: 0 (expected: 1 or more)"),
        fault(
            () -> Limit.leakyBucket(1, 11, 10),
            "leakUnits: 11 per 10 ns (expected: at most one per nanosecond)"),
        fault(
            () -> Limit.leakyBucketQueue(1, 1, 0, 0),
            "leakPeriodNs: 0 (expected: from 1 to 288230376151711743)"),
        fault(
            () -> Limit.leakyBucketQueue(1, 1, SECOND, -1),
            "maxWaitNs: -1 (expected: from 0 to 288230376151711744)"),
        fault(() -> Limit.heldUnits(0), "capacity: 0 (expected: from 1 to 140737488355327)"),
        fault(() -> new LimitSet().check(1, new Decision()), "size: 0 (expected: from 1 to 8)"),
        fault(() -> new LimitSet().peek(1, new Decision()), "size: 0 (expected: from 1 to 8)"),
        fault(() -> setOf(new Limit[9]), "size: 9 (expected: from 1 to 8)"),
        fault(
            () -> Limit.tokenBucketOfUnits(1, 11, 10, 1000),
            "refillUnits: 11 per 10 ns (expected: at most one per nanosecond)"),
        fault(
            () -> Limit.tokenBucketOfUnits(0, 1, SECOND, 1000),
            "capacityUnits: 0 (expected: 1 or more)"),
        fault(
            () -> new LimitTable(64, 3),
            "cellsPerKey: 3 (expected: 0, or a power of two up to 262144)"),
        fault(
            () -> new LimitTable(64, -1),
            "cellsPerKey: -1 (expected: 0, or a power of two up to 262144)"),
        fault(
            () -> new LimitTable(1 << 26, 1024),
            "cellsPerKey: 1024 for 67108864 slots, 549756338176 bytes"
                + " (expected: at most 2147483583)"));
  }

  private static void setOf(Limit... limits) {
    Arrays.setAll(limits, i -> limits[i] == null ? Limit.gcra(1, SECOND, 1) : limits[i]);
    final LimitSet set = new LimitSet();
    for (int i = 0; i < limits.length; i++) {
      set.add(null, i, limits[i], 1);
    }
  }

  private static Arguments fault(Executable call, String message) {
    return Arguments.of(message, call);
  }

  private static String window(String value) {
    return "windowNs: " + value + " (expected: from 524288 to 144115188075855871)";
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void namesTheValueAndWhatWasExpected(String message, Executable call) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "524288, 1023",
    "8388608, 4095",
    "100000000, 8191",
    "1000000000, 32767",
    "60000000000, 262143",
    "3600000000000, 2097151",
    "86400000000000, 8388607",
  })
  void theSlidingCounterCountsAsFarAsItsDocumentationSays(long windowNs, long most) {
    passesWholeAndNotOneMore(Limit.slidingCounter(most, windowNs), windowNs);
    assertThrows(IllegalArgumentException.class, () -> Limit.slidingCounter(most + 1, windowNs));
  }

  @ParameterizedTest
  @CsvSource({
    "524288, 1048575",
    "1000000000, 1073741823",
    "60000000000, 68719476735",
    "144115188075855871, 140737488355327",
  })
  void theFixedWindowCountsAsFarAsItsDocumentationSays(long windowNs, long most) {
    passesWholeAndNotOneMore(Limit.fixedWindow(most, windowNs, 0), windowNs);
    assertThrows(IllegalArgumentException.class, () -> Limit.fixedWindow(most + 1, windowNs, 0));
  }

  @ParameterizedTest
  @CsvSource({"1000000, 524287", "10000000, 8388607", "100000000, 67108863"})
  void theBucketRingCountsAsFarAsItsDocumentationSays(long widthNs, long most) {
    passesWholeAndNotOneMore(Limit.bucketRing(most, 10 * widthNs, 10), 10 * widthNs);
    assertThrows(
        IllegalArgumentException.class, () -> Limit.bucketRing(most + 1, 10 * widthNs, 10));
  }

  @Test
  void theLargestSlidingLogPassesWholeAndNotOneMore() {
    final Limit largest = Limit.slidingLog(Limit.MAX_CELL_COUNT, SECOND);
    assertEquals(262_144, largest.cells());
    passesWholeAndNotOneMore(largest, SECOND);
  }

  private static void passesWholeAndNotOneMore(Limit limit, long windowNs) {
    final Decision out = new Decision();
    for (long nowNs :
        new long[] {1, windowNs - 1, windowNs, Limit.MAX_TIME_NS - 2 * windowNs - 2}) {
      if (nowNs < 1) {
        continue;
      }
      try (LimitTable table = new LimitTable(4, limit.cells())) {
        assertTrue(table.check(7, limit, limit.capacity(), nowNs, out));
        assertEquals(0, out.remaining());
        assertEquals(limit.capacity(), out.current());
        assertTrue(!table.check(7, limit, 1, nowNs, out));
        final long passesAtNs = nowNs + out.retryAfterNs();
        assertTrue(!table.peek(7, limit, 1, passesAtNs - 1, out));
        assertTrue(table.check(7, limit, 1, passesAtNs, out));
      }
    }
  }

  @Test
  void aTableWithoutRoomForARingSaysSo() {
    final Decision out = new Decision();
    try (LimitTable table = new LimitTable(64, 8)) {
      final IllegalArgumentException thrown =
          assertThrows(
              IllegalArgumentException.class,
              () -> table.check(1, Limit.slidingLog(9, SECOND), 1, 1, out));
      assertEquals(
          "limit.cells(): 16 (expected: at most 8, as the table has for each key)",
          thrown.getMessage());
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2", "3, 4", "10, 16", "16, 16", "17, 32", "262143, 262144"})
  void cellsAreThePowerOfTwoThatHoldsTheLimit(long limit, int cells) {
    assertEquals(cells, Limit.slidingLog(limit, SECOND).cells());
  }

  @Test
  void onlyRingsNeedCells() {
    assertEquals(0, Limit.gcra(1, SECOND, 1).cells());
    assertEquals(0, Limit.fixedWindow(1, SECOND, 0).cells());
    assertEquals(0, Limit.slidingCounter(1, SECOND).cells());
    assertEquals(16, Limit.bucketRing(1, SECOND, 10).cells());
    assertEquals(1024, Limit.bucketRing(1, SECOND, 1000).cells());
  }
}
