package dev.weir.proxy.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.wiring.StartException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogProcessor;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** The interval log of a sidecar under traffic, as HdrHistogram's own tools read it. */
@Timeout(180)
class LatencyLogIT {
  private static final int CLIENTS = 6;

  @TempDir private Path folder;

  private Path file() {
    return folder.resolve("latency.hlog");
  }

  private Rig rig(Path log) throws IOException, StartException {
    return new Rig(
        "nio",
        "--latency-log",
        log.toString(),
        "--latency-log-interval",
        "100ms",
        "--event-loops",
        "2",
        "--admin",
        "127.0.0.1:0",
        "--limit",
        "100000/365d");
  }

  /** So many requests on connections that both event loops share, until all are counted. */
  private static void serve(Rig rig, int requests) throws Exception {
    double before = count(rig);
    List<RawClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < requests; i++) {
        if (clients.size() < CLIENTS) {
          clients.add(rig.connect());
        }
        RawClient client = clients.get(i % clients.size());
        assertEquals(200, client.send(Rig.VALID).read().status());
      }
    } finally {
      for (RawClient client : clients) {
        client.close();
      }
    }
    rig.await("weir_latency_seconds_count{step=\"total\"}", before + requests);
  }

  private static double count(Rig rig) throws IOException {
    return rig.metric("weir_latency_seconds_count{step=\"total\"}");
  }

  private static List<Histogram> intervals(Path log, String tag) throws IOException {
    List<Histogram> intervals = new ArrayList<>();
    try (HistogramLogReader reader = new HistogramLogReader(log.toFile())) {
      Histogram interval;
      while ((interval = (Histogram) reader.nextIntervalHistogram()) != null) {
        if (tag == null ? interval.getTag() == null : tag.equals(interval.getTag())) {
          intervals.add(interval);
        }
      }
    }
    return intervals;
  }

  private static Histogram sum(Path log, String tag) throws IOException {
    Histogram sum = new Histogram(3);
    intervals(log, tag).forEach(sum::add);
    return sum;
  }

  private static String tag(LatencyStep step) {
    return step == LatencyStep.TOTAL ? null : step.label();
  }

  @Test
  void sumsOfAllIntervalsAreTheTimesSinceTheStart() throws Exception {
    double[] quantiles = {0, 0.25, 0.5, 0.9, 0.99, 1};
    List<LatencySummary> sinceStart = new ArrayList<>();
    try (Rig rig = rig(file())) {
      for (int round = 0; round < 3; round++) {
        serve(rig, 100);
        awaitIntervals(round + 1);
      }
      for (LatencyStep step : LatencyStep.values()) {
        sinceStart.add(rig.sidecar.metrics().latencies().summary(step, quantiles));
      }
    }
    assertEquals(300, sum(file(), null).getTotalCount());
    assertTrue(intervals(file(), null).size() >= 3);
    for (LatencyStep step : LatencyStep.values()) {
      Histogram logged = sum(file(), tag(step));
      LatencySummary shown = sinceStart.get(step.ordinal());
      assertEquals(shown.count(), logged.getTotalCount(), step.label());
      for (int i = 0; i < quantiles.length; i++) {
        assertEquals(
            shown.valuesNs()[i], logged.getValueAtPercentile(100 * quantiles[i]), step.label());
      }
    }
  }

  private void awaitIntervals(int count) throws Exception {
    // Lines only, as the last of them may be half there.
    while (lines() < count) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  private long lines() throws IOException {
    return Files.readString(file()).lines().filter(line -> line.matches("[0-9].*")).count();
  }

  @Test
  void mergesTheTimesOfTwoEventLoops() throws Exception {
    try (Rig rig = rig(file())) {
      serve(rig, CLIENTS);
      // Requests that come one after another share what connections their event loop has.
      assertEquals(2, rig.origin.connectionCount());
    }
    for (LatencyStep step : LatencyStep.values()) {
      // Neither a store nor leases decide anything here.
      boolean isPassed =
          switch (step) {
            case STORE, HAND, ASKED -> false;
            default -> true;
          };
      long expected = isPassed ? CLIENTS : 0;
      assertEquals(expected, sum(file(), tag(step)).getTotalCount(), step.label());
    }
  }

  @Test
  void hdrHistogramsOwnProcessorReadsWhatThePagesShow() throws Exception {
    List<String> shown;
    try (Rig rig = rig(file())) {
      serve(rig, 500);
      String admin = "http://127.0.0.1:" + rig.adminPort();
      shown = rows(get(admin + "/latency/upstream.hgrm").lines());
      Files.writeString(folder.resolve("recent.hlog"), get(admin + "/latency.hlog"));
    }
    for (Path log : List.of(file(), folder.resolve("recent.hlog"))) {
      List<String> processed = process(log, "upstream");
      assertEquals(shown.size(), processed.size());
      for (int i = 0; i < shown.size(); i++) {
        String[] us = shown.get(i).split(" +");
        String[] ms = processed.get(i).split(" +");
        assertEquals(us[1], ms[1], "percentile");
        assertEquals(us[2], ms[2], "count at " + us[1]);
        assertEquals(
            Double.parseDouble(us[0]) / 1_000, Double.parseDouble(ms[0]), 0.0006, "at " + us[1]);
      }
      List<String> total = process(log, null);
      assertEquals("500", total.get(total.size() - 1).split(" +")[2]);
    }
  }

  private static String get(String url) throws Exception {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
        .body();
  }

  /** The percentile distribution that {@code HistogramLogProcessor} makes of a log. */
  private List<String> process(Path log, String tag) throws IOException {
    Path out = folder.resolve("out");
    List<String> arguments = new ArrayList<>(List.of("-i", log.toString(), "-o", out.toString()));
    if (tag != null) {
      arguments.addAll(List.of("-tag", tag));
    }
    new HistogramLogProcessor(arguments.toArray(new String[0])).run();
    return rows(Files.readAllLines(folder.resolve("out.hgrm")).stream());
  }

  private static List<String> rows(Stream<String> lines) {
    return lines.map(String::strip).filter(line -> line.matches("[0-9.]+ [0-9.]+ +.*")).toList();
  }

  @Test
  void aRestartGoesOnInTheSameFile() throws Exception {
    for (int run = 0; run < 2; run++) {
      try (Rig rig = rig(file())) {
        serve(rig, 10);
      }
    }
    assertEquals(20, sum(file(), null).getTotalCount());
    assertEquals(2, Files.readString(file()).split("#\\[StartTime", -1).length - 1);
    List<Long> starts = intervals(file(), null).stream().map(Histogram::getStartTimeStamp).toList();
    assertTrue(starts.get(starts.size() - 1) > starts.get(0), starts.toString());
  }

  @Test
  @EnabledIf(value = "hasFullDevice", disabledReason = "no /dev/full here")
  void aFullDiskIsToldOnceCountedAndStopsNothing() throws Exception {
    try (LogLines log = new LogLines();
        Rig rig = rig(Path.of("/dev/full"))) {
      while (rig.metric("weir_latency_log_errors_total") < 3) {
        serve(rig, 5);
      }
      serve(rig, 50);
      assertEquals(
          1, log.with("WARN", "/dev/full", "No space left on device").size(), log::toString);
    }
  }

  static boolean hasFullDevice() {
    return Files.exists(Path.of("/dev/full"));
  }

  @Test
  void aFileThatCannotBeOpenedStopsTheStart() {
    Path file = folder.resolve("none").resolve("a.hlog");
    String message = assertThrows(StartException.class, () -> rig(file)).getMessage();
    assertEquals(
        "latency-log: "
            + file
            + ": there is no such folder (expected: an interval log, or a file that can be made)",
        message);
  }
}
