package dev.weir.bench.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rule.spec.BadValueException;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

class StagesTest {
  private static final String EXPECTED =
      "rate=N, ramp=A..B, steps=A..B,by=N, sine=A..B,period=T or burst=N,every=T[,base=N],"
          + " each with for=T";
  private static final String RANGE = "two rates, such as 1000..5000";
  private static final String RATE = "a number from 0 to 10000000";

  private static Schedule of(String... stages) {
    return Stages.parse(List.of(stages));
  }

  /** Sums a rate in steps of 10 us, and compares at points that are no multiples of anything. */
  private static void assertIntegral(Schedule schedule, DoubleUnaryOperator rateBySeconds) {
    final double step = 1e-5;
    double sum = 0;
    double most = 0;
    int next = 0;
    final long steps = Math.round(schedule.durationNs() / 1e9 / step);
    for (long i = 0; i < steps; i++) {
      sum += step * rateBySeconds.applyAsDouble((i + 0.5) * step);
      if (i == next) {
        most = Math.max(most, Math.abs(sum - schedule.countBy(Math.round((i + 1) * step * 1e9))));
        next += 7919;
      }
    }
    assertTrue(most < 0.05, "off by " + most + " requests (expected: at most 0.05)");
    assertEquals(sum, schedule.count(), 0.05);
  }

  @Test
  void aRateIsConstant() {
    assertIntegral(of("rate=123.5,for=3s"), seconds -> 123.5);
  }

  @Test
  void aRampGoesStraightUpOrDown() {
    assertIntegral(of("ramp=100..500,for=4s"), seconds -> 100 + 100 * seconds);
    assertIntegral(of("ramp=500..0,for=5s"), seconds -> 500 - 100 * seconds);
  }

  @Test
  void stepsAreEquallyLongAndReachTheLastRate() {
    assertIntegral(of("steps=100..400,by=100,for=4s"), seconds -> 100 * (1 + Math.floor(seconds)));
    assertIntegral(of("steps=300..100,by=100,for=3s"), seconds -> 300 - 100 * Math.floor(seconds));
    assertIntegral(of("steps=5..5,by=1,for=3s"), seconds -> 5);
    assertIntegral(of("steps=0..3.3,by=1.1,for=4s"), seconds -> 1.1 * Math.floor(seconds));
  }

  @Test
  void stepsThatDoNotDivideTheTimeTakeAllOfIt() {
    assertEquals(1_000_000_000L, of("steps=1..3,by=1,for=1s").durationNs());
  }

  @Test
  void aSineBeginsAtTheLowerRate() {
    assertIntegral(
        of("sine=100..500,period=2s,for=5s"),
        seconds -> 300 - 200 * Math.cos(2 * Math.PI * seconds / 2));
  }

  @Test
  void aSineOfAShortPeriodIsOneToo() {
    assertIntegral(
        of("sine=0..10000,period=20ms,for=1s"),
        seconds -> 5_000 - 5_000 * Math.cos(2 * Math.PI * seconds / 0.02));
  }

  @Test
  void burstsComeOverTheBase() {
    final Schedule schedule = of("burst=50,every=300ms,base=10,for=1s");
    assertEquals(4 * 50 + 10, schedule.count(), 1e-9);
    assertEquals(50, schedule.countBy(0), 1e-9);
    assertEquals(50 + 2.99, schedule.countBy(299_000_000), 1e-9);
    assertEquals(100 + 3, schedule.countBy(300_000_000), 1e-9);
  }

  @Test
  void stagesFollowEachOther() {
    assertIntegral(
        of("rate=10,for=1s", "ramp=10..30,for=2s", "rate=30,for=1s"),
        seconds -> seconds < 1 ? 10 : seconds < 3 ? 10 * seconds : 30);
  }

  @Test
  void whatAStageIsMayStandAnywhereInIt() {
    assertEquals(30, of("for=3s,rate=10").count(), 1e-9);
    assertEquals(30, of("every=1s,for=3s,burst=10").count(), 1e-9);
  }

  @Test
  void theLongestTakeADay() {
    assertEquals(86_400, of("rate=1,for=1d").count(), 1e-6);
    assertFault("rate=1,for=86401s (expected: at most 1d in all)", "rate=1,for=86401s");
    assertFault(
        "rate=1,for=1d rate=1,for=1ms (expected: at most 1d in all)",
        "rate=1,for=1d",
        "rate=1,for=1ms");
    // So long that their sum would be a negative number.
    final String[] forever = new String[40];
    java.util.Arrays.fill(forever, "rate=1,for=3660d");
    assertThrows(BadValueException.class, () -> of(forever));
  }

  @Test
  void namesWhatIsWrong() {
    assertFault("(expected: " + EXPECTED + ")", "");
    assertFault("1000 (expected: " + EXPECTED + ")", "1000");
    assertFault("=1,for=1s (expected: " + EXPECTED + ")", "=1,for=1s");
    assertFault("speed=1,for=1s (expected: " + EXPECTED + ")", "speed=1,for=1s");
    assertFault("rate=1,rate=2,for=1s (expected: " + EXPECTED + ")", "rate=1,rate=2,for=1s");
    assertFault("rate=1,by=2,for=1s (expected: " + EXPECTED + ")", "rate=1,by=2,for=1s");
    assertFault("rate=1,for=1s, (expected: " + EXPECTED + ")", "rate=1,for=1s,");
    assertFault("for=1s (expected: " + EXPECTED + ")", "for=1s");
    assertFault("rate=1 (expected: for=..., rate=...)", "rate=1");
    assertFault("steps=1..2,for=1s (expected: by=..., for=..., steps=...)", "steps=1..2,for=1s");
    assertFault(
        "burst=1,for=1s (expected: base=..., burst=..., every=..., for=...)", "burst=1,for=1s");
    assertFault("-1 (expected: " + RATE + ")", "rate=-1,for=1s");
    assertFault("1e3 (expected: " + RATE + ")", "rate=1e3,for=1s");
    assertFault("NaN (expected: " + RATE + ")", "rate=NaN,for=1s");
    assertFault("10000001 (expected: " + RATE + ")", "rate=10000001,for=1s");
    assertFault("99999999999 (expected: " + RATE + ")", "rate=99999999999,for=1s");
    assertFault("1000 (expected: " + RANGE + ")", "ramp=1000,for=1s");
    assertFault("1..2..3 (expected: " + RANGE + ")", "ramp=1..2..3,for=1s");
    assertFault("x (expected: " + RATE + ")", "ramp=1..x,for=1s");
    assertFault("0 (expected: a number from 1 to 10000000)", "steps=1..2,by=0,for=1s");
    assertFault("0 (expected: a number from 1 to 10000000)", "burst=0,every=1s,for=1s");
    assertFault("0s (expected: 1ms or more)", "rate=1,for=0s");
    assertFault(
        "5 (expected: a duration such as 500ms, 10s, 5m, 1h or 1d)", "sine=1..2,period=5,for=1s");
    assertFault("rate=1,for=500ms (expected: at least one request in all)", "rate=1,for=500ms");
    assertFault("rate=0,for=1s (expected: at least one request in all)", "rate=0,for=1s");
  }

  @Test
  void nothingIsDrawnWithMorePointsThanThereIsRoomFor() {
    assertFault(
        "steps=0..10000000,by=1,for=1d (expected: at most 1000 steps)",
        "steps=0..10000000,by=1,for=1d");
    assertFault(
        "burst=1,every=1ms,for=1d (expected: at most 100000 bursts)", "burst=1,every=1ms,for=1d");
    assertFault(
        "sine=1..2,period=1ms,for=1d (expected: at most 3000 periods)",
        "sine=1..2,period=1ms,for=1d");
  }

  private static void assertFault(String message, String... stages) {
    final String found =
        assertThrows(BadValueException.class, () -> of(stages), message).getMessage();
    assertEquals(message.startsWith("(") ? " " + message : message, found);
  }
}
