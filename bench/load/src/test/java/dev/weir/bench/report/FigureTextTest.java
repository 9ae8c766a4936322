package dev.weir.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FigureTextTest {
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
    assertEquals(text, FigureText.plain(value));
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
    assertEquals(text, FigureText.share(part, whole));
  }

  @Test
  void secondsHaveNoMoreDigitsThanTheyNeed() {
    assertEquals("30", FigureText.seconds(30_000));
    assertEquals("0.25", FigureText.seconds(250));
  }

  @Test
  void percentilesAreNamedAsUsual() {
    assertEquals("p50", FigureText.percentile(50));
    assertEquals("p99.9", FigureText.percentile(99.9));
    assertEquals("max", FigureText.percentile(100));
  }

  @Test
  void timesHaveThreeDigitsAndTheirUnit() {
    final Object[][] table = {
      {0L, "0 ns"},
      {999L, "999 ns"},
      {1_000L, "1.00 us"},
      {9_994L, "9.99 us"},
      {9_996L, "10.0 us"},
      {99_949L, "99.9 us"},
      {99_951L, "100 us"},
      {999_499L, "999 us"},
      {999_500L, "1.00 ms"},
      {1_234_567L, "1.23 ms"},
      {999_499_999L, "999 ms"},
      {999_500_000L, "1.00 s"},
      {3_600_000_000_000L, "3600 s"},
    };
    for (Object[] row : table) {
      assertEquals(row[1], FigureText.time((Long) row[0]));
    }
  }
}
