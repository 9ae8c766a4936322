package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFlags;
import java.io.ByteArrayOutputStream;
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
      String logged = log.toString();
      try (Sidecar warm = Sidecar.startWarm(settings)) {
        assertEquals(cold, figures(warm));
        warm.drain(0);
        assertEquals(cold.size(), figures(warm).size());
        assertTrue(warm.awaitWarmUp() > 0, "requests were made");
      }
      assertEquals(0, origin.connectionCount());
      assertEquals("", log.toString().substring(logged.length()).replace(logged, "").strip());
    }
  }

  private static Settings settings(String transport, String upstream) {
    Faults faults = Faults.ofFlags();
    Map<String, String> flags =
        Map.of(
            "--upstream", upstream,
            "--transport", transport,
            "--listen", "127.0.0.1:0",
            "--admin", "off",
            "--caps.connections", "100",
            "--event-loops", "2",
            "--table.keys", "1000",
            "--limit", "1/1h",
            "--key", "header:x-user-id");
    Settings settings = SettingsFlags.read(flags, faults);
    assertTrue(faults.isEmpty(), faults::toString);
    return settings;
  }

  /** All that is exposed of this sidecar; not of its JVM. */
  private static List<String> figures(Sidecar sidecar) throws Exception {
    ByteArrayOutputStream page = new ByteArrayOutputStream();
    page.writeBytes(sidecar.metrics().expose(null).body());
    return page.toString(StandardCharsets.UTF_8)
        .lines()
        .filter(l -> l.startsWith("weir_"))
        .toList();
  }
}
