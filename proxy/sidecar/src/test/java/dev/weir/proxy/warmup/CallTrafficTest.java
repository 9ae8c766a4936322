package dev.weir.proxy.warmup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.traffic.Traffic;
import dev.weir.proxy.wiring.Run;
import dev.weir.proxy.wiring.Sidecar;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The calls that the JVM watches in training, made of a sidecar. */
@Timeout(60)
class CallTrafficTest {
  private static final int EXCHANGES = 4;
  private static final int AT_ONCE = 16;

  @TempDir private Path folder;

  @Test
  void callsAskForChecksSeveralChecksAndDescriptors() throws Exception {
    Files.writeString(
        folder.resolve("warm-up.yaml"),
        """
        domain: warm-up
        descriptors:
          - key: user
            rate_limit: {unit: hour, requests_per_unit: 1}
        """);
    try (Traffic traffic = new Traffic(false);
        Sidecar sidecar =
            Sidecar.start(
                SidecarWarmUpTest.settings(
                    "nio",
                    Run.text(traffic.service()),
                    "--decision",
                    "127.0.0.1:0",
                    "--ratelimit-config",
                    folder.toString()))) {
      traffic.connectCalls(sidecar.decisionAddresses().get(0), AT_ONCE, 2);
      long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      for (int i = 0; i < EXCHANGES; i++) {
        assertTrue(traffic.exchange(untilNs));
      }
      assertEquals(EXCHANGES * AT_ONCE, traffic.answeredCount());
      List<String> figures = SidecarWarmUpTest.figures(sidecar);
      for (String each :
          List.of(
              "weir_decision_calls_total{call=\"check_rate_limit\"} 48.0",
              "weir_decision_calls_total{call=\"check_rate_limits\"} 8.0",
              "weir_decision_calls_total{call=\"should_rate_limit\"} 8.0",
              "weir_decision_checks_total{outcome=\"allowed\",rule=\"default\"} 2.0",
              "weir_decision_statuses_total{status=\"ok\"} 64.0")) {
        assertTrue(figures.contains(each), each);
      }
    }
  }
}
