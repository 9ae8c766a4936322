package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ScriptLimitTest {
  private static final long HOUR_US = 3_600_000_000L;

  @Test
  void refusesWhatADoubleCannotCount() {
    final long most = ((1L << 53) - 1) / HOUR_US;
    assertEquals(most, ScriptLimit.slidingCounter(most, HOUR_US).capacity());
    refused(
        "limit: 2502000 (expected: at most 2501999, to be exact in microseconds)",
        () -> ScriptLimit.slidingCounter(most + 1, HOUR_US));
    refused(
        "capacity: 4503599627370496 (expected: at most 4503599627370495, to be exact in"
            + " microseconds)",
        () -> ScriptLimit.paced(1L << 52, 1, 1));
    assertEquals((1L << 52) - 1, ScriptLimit.paced((1L << 52) - 1, 5, 5).capacity());
  }

  @Test
  void namesTheValueAndWhatWasExpected() {
    refused("capacity: 0 (expected: from 1 to 9007199254740991)", () -> ScriptLimit.paced(0, 1, 1));
    refused("units: -1 (expected: from 1 to 9007199254740991)", () -> ScriptLimit.paced(1, -1, 1));
    refused("periodUs: 0 (expected: from 1 to 9007199254740991)", () -> ScriptLimit.paced(1, 1, 0));
    refused(
        "maxWaitUs: -1 (expected: from 0 to 9007199254740991)",
        () -> ScriptLimit.queue(1, 1, 1, -1));
    refused(
        "epochUs: -1 (expected: from 0 to 9007199254740991)",
        () -> ScriptLimit.fixedWindow(1, 1, -1));
    refused("limit: 4097 (expected: from 1 to 4096)", () -> ScriptLimit.slidingLog(4097, 1));
    refused("subWindows: 1 (expected: from 2 to 4096)", () -> ScriptLimit.bucketRing(1, 1, 1));
    refused("subWindows: 3 (expected: a divisor of 10 us)", () -> ScriptLimit.bucketRing(1, 10, 3));
  }

  @Test
  void saysHowLongUnitsTakeToFlowOutOfAQueue() {
    final ScriptLimit queue = ScriptLimit.queue(10, 6, 20, 100);
    assertEquals(0, queue.outflowUs(0));
    assertEquals(4, queue.outflowUs(1));
    assertEquals(10, queue.outflowUs(3));
    assertEquals(0, ScriptLimit.paced(10, 6, 20).outflowUs(3));
    refused("units: 11 (expected: from 0 to 10)", () -> queue.outflowUs(11));
  }

  @Test
  void saysHowLongAChargeCountsAtMost() {
    assertTrue(ScriptLimit.queue(10, 6, 20, 100).isPaced());
    assertEquals(3_333, ScriptLimit.paced(10, 6, 20).comesBackNs(1));
    assertEquals(33_333, ScriptLimit.paced(10, 6, 20).comesBackNs(10));
    final ScriptLimit largest = ScriptLimit.paced(1, 1, (1L << 52) - 1);
    assertEquals(((1L << 52) - 1) * 1_000, largest.comesBackNs(1));
    assertEquals(20, ScriptLimit.fixedWindow(1, 20, 0).countsUs());
    assertEquals(40, ScriptLimit.slidingCounter(1, 20).countsUs());
    assertEquals(20, ScriptLimit.slidingLog(1, 20).countsUs());
    assertEquals(20, ScriptLimit.bucketRing(1, 20, 4).countsUs());
    final ZoneId apia = ZoneId.of("Pacific/Apia"); // left out a Friday
    final ScriptLimit days = ScriptLimit.calendarWindow(1, ChronoUnit.DAYS, apia);
    assertFalse(days.isPaced());
    assertTrue(days.countsUs() >= 25 * 3_600_000_000L);
  }

  private static void refused(String message, Executable attempt) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, attempt).getMessage());
  }

  @Test
  void leasesWhatCanBeKeptAndForNoLongerThanTheScriptCanRemember() {
    final ScriptLimit paced = ScriptLimit.paced(10, 10, 7);
    final ScriptLimit window = ScriptLimit.fixedWindow(10, 10, 0);
    assertEquals(10, paced.leased(1).capacity());
    assertTrue(paced.leased(ScriptLimit.MAX_LIFE_US).isPaced());
    assertFalse(paced.leased(5).isQueue());
    assertSame(window, window.leased(1));
    assertThrows(IllegalArgumentException.class, () -> paced.leased(0));
    assertThrows(IllegalArgumentException.class, () -> paced.leased(ScriptLimit.MAX_LIFE_US + 1));
    assertThrows(IllegalArgumentException.class, () -> ScriptLimit.queue(1, 1, 1, 0).leased(1));
  }
}
