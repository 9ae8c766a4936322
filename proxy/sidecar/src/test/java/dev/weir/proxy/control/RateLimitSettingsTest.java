package dev.weir.proxy.control;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where the files of Envoy's rate-limit service are said to be. */
class RateLimitSettingsTest {
  private static String faults(Map<String, String> flags) {
    Faults faults = Faults.ofFlags();
    SettingsFlags.read(flags, faults);
    return faults.toString();
  }

  @Test
  void aFolderIsNoUseWhereNobodyCanAsk() {
    assertEquals(
        "--ratelimit-config: limits (expected: decision too)",
        faults(Map.of("--upstream", "http://127.0.0.1:1", "--ratelimit-config", "limits")));
  }

  @ParameterizedTest
  @CsvSource({
    "--ratelimit-merge-domains, true",
    "--ratelimit-headers, draft06",
    "--ratelimit-shadow-mode, true",
    "--ratelimit-quota-mode, true"
  })
  void settingsOfFilesAreNoUseWithoutThem(String flag, String value) {
    assertEquals(
        flag + ": " + value + " (expected: ratelimit-config too)",
        faults(Map.of("--decision", "on", flag, value)));
  }

  @Test
  void settingsOfFilesAreToldOfInTheOrderOfTheManual() {
    Map<String, String> flags =
        Map.of(
            "--decision", "on",
            "--ratelimit-merge-domains", "true",
            "--ratelimit-headers", "draft06",
            "--ratelimit-shadow-mode", "true",
            "--ratelimit-quota-mode", "true");
    assertEquals(
        """
        --ratelimit-merge-domains: true (expected: ratelimit-config too)
        --ratelimit-headers: draft06 (expected: ratelimit-config too)
        --ratelimit-shadow-mode: true (expected: ratelimit-config too)
        --ratelimit-quota-mode: true (expected: ratelimit-config too)""",
        faults(flags));
  }

  @Test
  void aFolderIsTakenBesideADecisionAddress() {
    Settings settings =
        SettingsFlags.read(
            Map.of("--decision", "on", "--ratelimit-config", "limits"), Faults.ofFlags());
    assertEquals("limits", settings.rateLimits().folder().toString());
  }
}
