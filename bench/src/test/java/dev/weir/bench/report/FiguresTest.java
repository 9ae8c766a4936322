package dev.weir.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FiguresTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "0.00004, 0.0000",
    "0.0131, 0.0131",
    "0.0999, 0.0999",
    "0.1, 0.100",
    "0.9996, 1.00",
    "1.314, 1.31",
    "9.994, 9.99",
    "9.996, 10.0",
    "99.94, 99.9",
    "99.96, 100",
    "12345.6, '12,346'"
  })
  void valuesHaveThreeDigitsThatCount(double value, String text) {
    assertEquals(text, Figures.plain(value));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, –",
    "0, 7, 0 %",
    "7, 7, 100 %",
    "1, 1000000, <0.001 %",
    "999999, 1000000, >99.99 %",
    "7, 100000, 0.007 %",
    "1, 100, 1.00 %",
    "2, 5, 40.0 %",
    "999, 1000, 99.90 %"
  })
  void sharesAreNoneOrAllOnlyWhereTheyAre(long part, long whole, String text) {
    assertEquals(text, Figures.share(part, whole));
  }

  @Test
  void secondsHaveNoMoreDigitsThanTheyNeed() {
    assertEquals("30", Figures.seconds(30_000));
    assertEquals("0.25", Figures.seconds(250));
  }

  @Test
  void percentilesAreNamedAsUsual() {
    assertEquals("p50", Figures.percentile(50));
    assertEquals("p99.9", Figures.percentile(99.9));
    assertEquals("max", Figures.percentile(100));
  }
}
