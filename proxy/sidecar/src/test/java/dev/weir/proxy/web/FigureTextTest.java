package dev.weir.proxy.web;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FigureTextTest {
  @ParameterizedTest
  @CsvSource({
    "1, 1 ns",
    "999, 999 ns",
    "1000, 1.00 µs",
    "1234, 1.23 µs",
    "9994, 9.99 µs",
    "9995, 10.0 µs",
    "99949, 99.9 µs",
    "99951, 100 µs",
    "999499, 999 µs",
    "999500, 1.00 ms",
    "45600000, 45.6 ms",
    "1500000000, 1.50 s",
    "3600000000000, 3600 s",
  })
  void hasThreeDigitsInTheUnitThatFits(long ns, String text) {
    assertEquals(text, FigureText.ofTime(ns));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "999999, 999999",
    "1000000, 1.00 M",
    "12345678, 12.3 M",
    "1234567890, 1.23 G",
    "9223372036854775807, 9223372 T",
  })
  void countsExactlyToAMillion(long count, String text) {
    assertEquals(text, FigureText.ofCount(count));
  }

  @ParameterizedTest
  @CsvSource({"0, 1 ns", "2, 100 ns", "3, 1 µs", "8, 100 ms", "9, 1 s", "13, 10000 s"})
  void namesPowersOfTen(int exponent, String text) {
    assertEquals(text, FigureText.ofTimePower(exponent));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 s",
    "59999, 59 s",
    "60000, 1 min",
    "61000, 1 min 1 s",
    "3599000, 59 min 59 s",
    "3600000, 1 h",
    "7259000, 2 h",
    "7260000, 2 h 1 min",
    "86400000, 1 d",
    "1000000000, 11 d 13 h",
  })
  void tellsALengthInItsTwoLargestUnits(long ms, String text) {
    assertEquals(text, FigureText.ofLength(ms * 1_000_000));
  }
}
