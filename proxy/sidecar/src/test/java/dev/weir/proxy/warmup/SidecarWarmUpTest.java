package dev.weir.proxy.warmup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.rig.FlagSettings;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.wiring.Sidecar;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The warm-up of a whole sidecar: what others see of it, which is nothing. */
class SidecarWarmUpTest {
  static Stream<Arguments> sidecars() {
    return Rig.transports().stream()
        .flatMap(transport -> Stream.of("http", "h2c").map(to -> Arguments.of(transport, to)));
  }

  @ParameterizedTest
  @MethodSource("sidecars")
  void isSeenInNoFigureNoLogAndByNoService(String transport, String scheme) throws Exception {
    try (LogLines log = new LogLines();
        RecordingOrigin origin = new RecordingOrigin()) {
      Settings settings = settings(transport, scheme + "://" + origin.address());
      List<String> cold;
      try (Sidecar sidecar = Sidecar.start(settings)) {
        cold = figures(sidecar);
      }
      int loggedCount = log.toString().length();
      try (Sidecar warm = Sidecar.startWarm(settings)) {
        assertEquals(cold, figures(warm));
        if (warm.warmUpRequestCount() == 0) { // on a busy machine
          warm.awaitWarmUp();
          assertEquals(cold, figures(warm));
        }
        assertTrue(warm.warmUpRequestCount() > 0);
        warm.drain(0); // of the warm-up nothing is left then
        assertEquals("", log.toString().substring(loggedCount));
      }
      assertEquals(0, origin.connectionCount());
    }
  }

  /**
   * @param more a flag, its value, and so on.
   */
  static Settings settings(String transport, String upstream, String... more) {
    return FlagSettings.of(
        Map.of(
            "--upstream", upstream,
            "--transport", transport,
            "--listen", "127.0.0.1:0",
            "--admin", "off",
            "--caps.connections", "100",
            "--event-loops", "2",
            "--table.keys", "1000",
            "--limit", "1/1h",
            "--key", "header:x-user-id"),
        more);
  }

  /** All that is exposed of this sidecar; not of its JVM. */
  static List<String> figures(Sidecar sidecar) throws Exception {
    String page = new String(sidecar.metrics().expose(null).body(), StandardCharsets.UTF_8);
    return page.lines()
        .filter(line -> line.startsWith("weir_") && !line.contains("_timestamp_seconds "))
        .toList();
  }
}
