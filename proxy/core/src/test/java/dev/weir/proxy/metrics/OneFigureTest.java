package dev.weir.proxy.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.RefusalReason;
import java.nio.charset.StandardCharsets;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** That a figure read alone is the one that is exposed. */
class OneFigureTest {
  private static final Pattern SAMPLE = Pattern.compile("(?m)^(weir_\\S+) (\\S+)$");

  @Test
  void isWhatIsExposedUnderItsName() {
    Metrics metrics = new Metrics();
    metrics.exposeStore();
    metrics.gauge("weir_supplied", "Supplied.", () -> 7);
    LoopMetrics loop = metrics.newLoop();
    loop.connectionOpened();
    loop.refused(RefusalReason.OVER_LIMIT);
    String exposed = new String(metrics.expose(null).body(), StandardCharsets.UTF_8);
    int found = 0;
    Matcher samples = SAMPLE.matcher(exposed);
    while (samples.find()) {
      OptionalDouble value = OneFigure.of(metrics, samples.group(1));
      if (value.isPresent()) {
        assertEquals(Double.parseDouble(samples.group(2)), value.getAsDouble(), samples.group());
        found++;
      }
    }
    assertTrue(found > 50, () -> "of all: " + exposed);
    assertEquals(1, OneFigure.of(metrics, "weir_connections_open").getAsDouble());
    assertEquals(7, OneFigure.of(metrics, "weir_supplied").getAsDouble());
    assertTrue(OneFigure.of(metrics, "weir_unknown").isEmpty());
  }
}
