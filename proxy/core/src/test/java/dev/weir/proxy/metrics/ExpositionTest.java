package dev.weir.proxy.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.Protocol;
import dev.weir.proxy.request.RefusalReason;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ExpositionTest {
  private static final String VALUE = "(NaN|[+-]Inf|[-+0-9.eE]+)";
  private static final Pattern SAMPLE =
      Pattern.compile(
          "[a-zA-Z_:][a-zA-Z0-9_:]*"
              + "(\\{([a-z_A-Z0-9]+=\"([^\"\\\\\\n]|\\\\[\\\\n\"])*\",?)+})? "
              + VALUE
              + "( # .*)?");
  private static final Pattern META =
      Pattern.compile("# (HELP|TYPE|UNIT) [a-zA-Z_:][a-zA-Z0-9_:]* .+|# EOF");

  private final Metrics metrics = new Metrics();

  private List<String> expose(String accept) {
    return new String(metrics.expose(accept).body(), StandardCharsets.UTF_8).lines().toList();
  }

  private static void assertParses(List<String> lines) {
    Set<String> samples = new HashSet<>();
    for (String line : lines) {
      assertTrue(SAMPLE.matcher(line).matches() || META.matcher(line).matches(), line);
      if (!line.startsWith("#")) {
        assertTrue(samples.add(line.substring(0, line.lastIndexOf(' '))), "twice: " + line);
      }
    }
  }

  @Test
  void everyLineParsesInBothForms() {
    LoopMetrics loop = metrics.newLoop();
    loop.rule("a \"quoted\\ rule\n").add(RuleCounters.Outcome.ALLOWED);
    loop.completed(Protocol.HTTP1, 200, 5, 4, 3);
    metrics.gauge("weir_table_occupied_slots", "Slots in use.", () -> 7L);
    List<String> text = expose(null);
    assertParses(text);
    List<String> open = expose("application/openmetrics-text; version=1.0.0");
    assertParses(open);
    assertEquals("# EOF", open.get(open.size() - 1));
    assertTrue(text.stream().anyMatch(line -> line.startsWith("jvm_memory_used_bytes")));
  }

  @Test
  void nothingOfASidecarThatHasEndedIsKept() {
    WeakReference<Metrics> ended = new WeakReference<>(new Metrics());
    ended.get().newLoop();
    ended.get().expose(null);
    for (int i = 0; i < 10 && ended.get() != null; i++) {
      System.gc();
    }
    assertNull(ended.get());
  }

  @Test
  void exportsEveryCount() {
    LoopMetrics one = metrics.newLoop();
    LoopMetrics two = metrics.newLoop();
    for (LoopMetrics loop : List.of(one, two)) {
      loop.connectionOpened();
      loop.connectionRefused();
      loop.requestStarted(Protocol.HTTP1);
      loop.refused(RefusalReason.OVER_LIMIT);
      loop.rule("api").add(RuleCounters.Outcome.DRY_RUN_REFUSED);
      loop.upstreamOpened();
      loop.decided(1_000);
      loop.held();
      loop.tunnelOpened();
      loop.verdictDropped();
    }
    one.connectionClosed();
    one.released();
    one.completed(Protocol.HTTP1, 404, 1, 1, 1);
    List<String> lines = expose("text/plain");
    for (String expected :
        List.of(
            "weir_connections_open 1.0",
            "weir_connections_total 2.0",
            "weir_connections_refused_total 2.0",
            "weir_requests_in_flight 2.0",
            "weir_requests_total 2.0",
            "weir_requests_held_total 2.0",
            "weir_requests_waiting 1.0",
            "weir_upstream_connections_open 2.0",
            "weir_upstream_connections_total 2.0",
            "weir_tunnels_total 2.0",
            "weir_verdicts_dropped_total 2.0",
            "weir_responses_total{class=\"4xx\"} 1.0",
            "weir_responses_total{class=\"other\"} 0.0",
            "weir_refusals_total{reason=\"over_limit\"} 2.0",
            "weir_refusals_total{reason=\"denied\"} 0.0",
            "weir_decisions_total{outcome=\"dry_run_refused\",rule=\"api\"} 2.0",
            "weir_latency_seconds_count{step=\"decision\"} 2",
            "weir_latency_seconds_sum{step=\"decision\"} 2.0E-6",
            "weir_latency_seconds{step=\"decision\",quantile=\"0.999\"} 1.0E-6",
            "weir_latency_seconds_count{step=\"upstream\"} 1")) {
      assertTrue(lines.contains(expected), expected + " not in\n" + String.join("\n", lines));
    }
  }

  @Test
  void exportsWhatOthersSupply() {
    long[] value = {3};
    metrics.gauge("weir_ready", "Whether it takes traffic.", () -> 1);
    metrics.counter("weir_reloads_total", "Rule files taken over.", () -> value[0]);
    metrics.counter("weir_table_inserted", "Keys inserted.", () -> value[0] * 2);
    value[0] = 4;
    List<String> lines = expose("");
    assertTrue(lines.contains("weir_ready 1.0"));
    assertTrue(lines.contains("weir_reloads_total 4.0"));
    assertTrue(lines.contains("weir_table_inserted_total 8.0"));
    assertTrue(lines.contains("# TYPE weir_table_inserted_total counter"));
  }

  @Test
  void refusesANameThatIsTakenOrBad() {
    metrics.counter("weir_reloads", "x", () -> 0);
    for (String name :
        List.of(
            "weir_reloads_total",
            "weir_connections_total",
            "weir_latency_seconds",
            "reloads",
            "weir_",
            "weir_Bad",
            "weir_a-b")) {
      assertThrows(IllegalArgumentException.class, () -> metrics.counter(name, "x", () -> 0), name);
    }
  }

  @Test
  void neverAnswersInAFormTheScraperDidNotAskFor() {
    String open = "application/openmetrics-text";
    assertTrue(metrics.expose(open + ";version=1.0.0").contentType().startsWith(open));
    for (String accept : new String[] {null, "", "*/*", "application/json", "text/plain;q=0.1"}) {
      assertTrue(metrics.expose(accept).contentType().startsWith("text/plain"), accept);
    }
    assertFalse(expose("*/*").contains("# EOF"));
  }
}
