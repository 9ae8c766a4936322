package dev.weir.proxy.control;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

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

  @Test
  void domainsAreMergedOnlyOfFiles() {
    assertEquals(
        "--ratelimit-merge-domains: true (expected: ratelimit-config too)",
        faults(Map.of("--decision", "on", "--ratelimit-merge-domains", "true")));
  }

  @Test
  void aFolderIsTakenBesideADecisionAddress() {
    Settings settings =
        SettingsFlags.read(
            Map.of("--decision", "on", "--ratelimit-config", "limits"), Faults.ofFlags());
    assertEquals("limits", settings.rateLimits().folder().toString());
  }
}
