package dev.weir.proxy.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdleLimitLintTest {
  private static String warnings(String first, String second) {
    return warnings(
        "rules:\n  - id: r\n    limits:\n      - {limit: %s}\n      - {limit: %s}\n"
            .formatted(first, second));
  }

  private static String warnings(String rules) {
    Faults faults = Faults.ofFile("w");
    String file = "upstream: http://127.0.0.1:1\n" + rules;
    new SettingsFile().read(file.getBytes(StandardCharsets.UTF_8), faults);
    assertTrue(faults.isEmpty(), faults::toString);
    return faults.warnings().stream().map(Object::toString).collect(Collectors.joining("\n"));
  }

  @Test
  void tellsWhichLimitNeverRefusesAndWhy() {
    assertEquals(
        "w:6: rules[0].limits[1].limit: warning: 1000/1h never refuses: limits[0], 10/1d, has"
            + " always refused before",
        warnings("10/1d", "1000/1h"));
    assertEquals(
        "w:3: everywhere[0].limit: warning: 9/1s never refuses: everywhere[1], 5/1s, has always"
            + " refused before",
        warnings(
            "everywhere:\n  - {name: a, limit: 9/1s}\n  - {name: b, limit: 5/1s, key: all}\n"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "10/1m | 1000/1h",
        "10/1d, algorithm: sliding-log | 20/1d, algorithm: fixed-window",
        "10/1d, key: all | 10/2h",
        "10/1d, burst: 2 | 9/1h, burst: 2",
        "5/1h, algorithm: fixed-window | 10/1h",
      })
  void aLimitThatTheOtherStaysWithinIsIdle(String other, String idle) {
    assertTrue(warnings(other, idle).contains("limits[1].limit: warning: "), idle);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "10/1s | 100/1h",
        "10/1s | 100/1m",
        "10/1d | 1000/1h, key: all",
        "10/1d, key: api-key | 1000/1h",
        "10/1d, burst: 20 | 10/1h",
        "6/1h, algorithm: fixed-window | 10/1h",
        "10/1d | 100/1h, cost: 2",
      })
  void aLimitThatMayRefuseIsNotWarnedOf(String one, String other) {
    assertEquals("", warnings(one, other));
  }

  @Test
  void ofTwoThatAreAlikeTheLaterIsIdle() {
    assertEquals(
        "w:6: rules[0].limits[1].limit: warning: 10/1h never refuses: limits[0], 10/1h, has always"
            + " refused before",
        warnings("10/1h", "10/1h, algorithm: token-bucket"));
  }
}
