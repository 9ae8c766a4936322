package dev.weir.proxy.rule.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextsTest {
  @ParameterizedTest
  @CsvSource({
    "100/1s, 100, 1000000000",
    "10/1m, 10, 60000000000",
    "1000/1h, 1000, 3600000000000",
    "1/1d, 1, 86400000000000",
    "5/30s, 5, 30000000000",
    "10000000/1s, 10000000, 1000000000",
    "1/1ms, 1, 1000000"
  })
  void readsRatesAndWritesThemBack(String text, long count, long windowNs) {
    assertEquals(new Rate(count, windowNs), Rate.parse(text));
    assertEquals(text, Rate.parse(text).toString());
  }

  @ParameterizedTest
  @CsvSource({"20k/1m, 20000/1m", "3M/1d, 3000000/1d", "1k/1month, 1000/1month"})
  void readsThousandsAndMillions(String text, String written) {
    assertEquals(written, Rate.parse(text).toString());
  }

  @ParameterizedTest
  @CsvSource({
    "1.5/1s, 1500, 1.5/1s",
    "0.001/1d, 1, 0.001/1d",
    "10.250/1m, 10250, 10.25/1m",
    "999999999.999/1h, 999999999999, 999999999.999/1h"
  })
  void readsDecimalsAsThousandths(String text, long count, String written) {
    assertEquals(count, Rate.parse(text).count());
    assertEquals(1000, Rate.parse(text).unit());
    assertEquals(written, Rate.parse(text).toString());
    assertThrows(BadValueException.class, () -> Rate.parseWhole(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0/1s", "10.000/1s", "10/1s"})
  void decimalsThatAreNoneChangeNothing(String text) {
    assertEquals(Rate.parse("10/1s"), Rate.parseWhole(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "100",
        "/1s",
        "100/",
        "0/1m",
        "-1/1m",
        "1/0s",
        "1.2345/1s",
        "0.0/1s",
        ".5/1s",
        "5./1s",
        "1.5.2/1s",
        "-1.5/1s",
        "1000000000.001/1s",
        "1e3/1s",
        "1/1",
        "1/s",
        "1/1S",
        "1/1w",
        " 1/1s",
        "1/1s ",
        "1//1s",
        "0x1/1s",
        "1000000000000000/1d",
        "1000001/1ms",
        "99999999999999999999/1s",
        "1/99999999999999999999d",
        "\u0661/1s",
        "+1/1s",
        "0k/1s",
        "k/1s",
        "1.5k/1s",
        "-1k/1s",
        "1K/1s",
        "1kM/1s",
        "999999999999999k/1s"
      })
  void refusesWhatIsNoRate(String text) {
    assertEquals(text, assertThrows(BadValueException.class, () -> Rate.parse(text)).value());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "s", "10", "0s", "-1s", "1.5s", "10 s", "10S", "3661d", "9999999999999999s"})
  void refusesWhatIsNoDuration(String text) {
    assertEquals(
        text, assertThrows(BadValueException.class, () -> DurationText.parseNs(text)).value());
  }
}
