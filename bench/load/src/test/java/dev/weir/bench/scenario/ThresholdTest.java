package dev.weir.bench.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.scenario.Threshold.Figure;
import dev.weir.proxy.rule.spec.BadValueException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ThresholdTest {
  private static final String EXPECTED =
      " (expected: FIGURE OPERATOR LIMIT, such as p99<2ms, max<=1s, errors<0.1%, refused==40 or"
          + " rate>=1000; figures are pN, max, mean, passed, refused, errors and rate)";

  private static boolean holds(String text, double value) {
    return Threshold.parse(text).holds(value);
  }

  @Test
  void readsEveryFigure() {
    assertEquals(Figure.PERCENTILE, Threshold.parse("p99.95<2ms").figure());
    assertEquals(99.95, Threshold.parse("p99.95<2ms").percentile());
    assertEquals(Figure.MAX, Threshold.parse("max<2ms").figure());
    assertEquals(Figure.MEAN, Threshold.parse("mean<2ms").figure());
    assertEquals(Figure.PASSED, Threshold.parse("passed>2").figure());
    assertEquals(Figure.REFUSED, Threshold.parse("refused==40%").figure());
    assertEquals(Figure.ERRORS, Threshold.parse("errors<1").figure());
    assertEquals(Figure.RATE, Threshold.parse("rate>=1000").figure());
  }

  @Test
  void readsEveryUnit() {
    assertEquals(2, Threshold.parse("max<2ns").limit());
    assertEquals(2e3, Threshold.parse("max<2us").limit());
    assertEquals(1.5e6, Threshold.parse("max<1.5ms").limit());
    assertEquals(2e9, Threshold.parse("max<2s").limit());
    assertEquals(0.025, Threshold.parse("errors<2.5%").limit());
    assertTrue(Threshold.parse("errors<2.5%").ofAll());
    assertFalse(Threshold.parse("errors<25").ofAll());
  }

  @Test
  void everyOperatorHoldsOnItsSideOfTheLimit() {
    assertHolds("passed<10", true, false, false);
    assertHolds("passed<=10", true, true, false);
    assertHolds("passed>10", false, false, true);
    assertHolds("passed>=10", false, true, true);
    assertHolds("passed==10", false, true, false);
    assertHolds("passed!=10", true, false, true);
  }

  private static void assertHolds(String text, boolean below, boolean at, boolean above) {
    assertEquals(
        List.of(below, at, above), List.of(holds(text, 9), holds(text, 10), holds(text, 11)));
  }

  @Test
  void everyWholePercentCanBeMetExactly() {
    for (int percent = 0; percent <= 100; percent++) {
      assertTrue(holds("refused==" + percent + "%", percent / 100.0), percent + "%");
      assertTrue(holds("refused==" + percent + "%", 7.0 * percent / 700), percent + "%");
    }
  }

  @Test
  void nothingHoldsForNoValue() {
    for (String operator : List.of("<", "<=", ">", ">=", "==", "!=")) {
      assertFalse(holds("max" + operator + "1s", Double.NaN), operator);
    }
  }

  @Test
  void blanksMayStandAroundTheOperator() {
    assertEquals("p99 < 2 ms", Threshold.parse(" p99 < 2 ms ").text());
    assertEquals(2e6, Threshold.parse(" p99 < 2 ms ").limit());
  }

  @Test
  void namesWhatIsWrong() {
    for (String text :
        List.of(
            "",
            "p99",
            "p99<",
            "<2ms",
            "p99=2ms",
            "p99<2",
            "p99<2%",
            "p99<-2ms",
            "p99<2m",
            "p99<1e3ms",
            "errors<2ms",
            "rate>5%",
            "rate>5s",
            "latency<2ms",
            "p<2ms",
            "P99<2ms",
            "p99<2ms,max<1s",
            "max<1234567890123s")) {
      assertEquals(text + EXPECTED, message(text));
    }
    for (String text : List.of("p101<2ms", "p99.9.9<2ms", "p.5<2ms", "p99.<2ms", "p1000<1s")) {
      assertEquals(
          text + " (expected: a percentile from p0 to p100, such as p99.9)", message(text));
    }
  }

  private static String message(String text) {
    return assertThrows(BadValueException.class, () -> Threshold.parse(text), text).getMessage();
  }
}
