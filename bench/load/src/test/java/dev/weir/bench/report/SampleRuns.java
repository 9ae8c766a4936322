package dev.weir.bench.report;

import dev.weir.bench.report.LatencySeries.TimedHistogram;
import dev.weir.bench.report.RunResult.Check;
import dev.weir.bench.report.RunResult.Slice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.HdrHistogram.Histogram;

/** Runs as a harness could have measured them, the same at every call. */
final class SampleRuns {
  static final long START_EPOCH_MS = 1_790_000_000_000L;
  static final int RATE = 20_000;

  private static final int STALLED_SLICE = 12;
  private static final int STALL_MS = 300;
  private static final int FIRST_REFUSING_SLICE = 20;
  // What is recorded of each slice; the rest of its counts is as if it had been.
  private static final int RECORDED = 2_000;

  private SampleRuns() {}

  /** A stall in one slice, and refusals from another on; one threshold missed. */
  static RunResult run(String name, int seconds, double medianMs) {
    final Random random = new Random(name.hashCode());
    final List<Slice> slices = new ArrayList<>();
    final List<TimedHistogram> corrected = new ArrayList<>();
    final List<TimedHistogram> uncorrected = new ArrayList<>();
    for (int i = 0; i < seconds; i++) {
      final long startMs = i * 1000L;
      final boolean stalled = i == STALLED_SLICE;
      final long refused = i >= FIRST_REFUSING_SLICE ? RATE * 2L / 5 : 0;
      final long failed = stalled ? 41 : 0;
      final long sent = RATE - random.nextInt(20);
      slices.add(
          new Slice(startMs, startMs + 1000, RATE, sent, sent - refused - failed, refused, failed));
      final Histogram from = LatencySeries.emptyHistogram();
      final Histogram since = LatencySeries.emptyHistogram();
      for (int j = 0; j < RECORDED; j++) {
        final double ms = medianMs * Math.exp(0.5 * random.nextGaussian());
        final double atMs = 1000.0 * j / RECORDED;
        final double waitMs = stalled && atMs < STALL_MS ? STALL_MS - atMs : 0;
        from.recordValueWithCount((long) (1e6 * (ms + waitMs)), RATE / RECORDED);
        since.recordValueWithCount((long) (1e6 * ms), RATE / RECORDED);
      }
      if (stalled) {
        since.recordValue((long) (1e6 * STALL_MS));
      }
      corrected.add(TimedHistogram.of(startMs, startMs + 1000, from));
      uncorrected.add(TimedHistogram.of(startMs, startMs + 1000, since));
    }
    return new RunResult(
        name,
        facts(name),
        List.of(),
        List.of(
            new Check("p50<2ms", "1.01 ms", true),
            new Check("p99<5ms", "4.12 ms", true),
            new Check("errors<0.001%", "0.007 %", false)),
        slices,
        List.of(
            new LatencySeries("", "corrected", corrected),
            new LatencySeries("uncorrected", "uncorrected", uncorrected)),
        START_EPOCH_MS);
  }

  static Map<String, String> facts(String name) {
    final Map<String, String> facts = new LinkedHashMap<>();
    facts.put("Target", "http://127.0.0.1:8000/api/v1/orders");
    facts.put("Load", "20,000/s for 30 s after 5 s of warm-up, 64 connections, HTTP/1.1");
    facts.put("Keys", "100,000, Zipf(1.0), header x-user-id");
    facts.put("Machine", "AMD EPYC 7B13, 2 cores");
    facts.put("System", "Linux 6.18.5 amd64");
    facts.put("JDK", "25.0.1+8, OpenJDK 64-Bit Server VM");
    facts.put("Commit", "d4317d3");
    facts.put(
        "Command",
        "./weir bench run --rate 20000 --duration 30s --connections 64 --keys zipf:1.0:100000"
            + " --threshold 'p50<2ms' --threshold 'p99<5ms' --out results/"
            + name.replace(' ', '-')
            + " http://127.0.0.1:8000/api/v1/orders");
    return facts;
  }

  /** Nothing was passed, and nothing took long. */
  static RunResult refused() {
    final List<Slice> slices = new ArrayList<>();
    final List<TimedHistogram> latencies = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      slices.add(new Slice(i * 1000L, i * 1000L + 1000, RATE, RATE, 0, RATE, 0));
      final Histogram histogram = LatencySeries.emptyHistogram();
      for (int j = 0; j < 1000; j++) {
        histogram.recordValueWithCount(40_000 + j * 100L, 20);
      }
      latencies.add(TimedHistogram.of(i * 1000L, i * 1000L + 1000, histogram));
    }
    return new RunResult(
        "all refused",
        facts("refused"),
        List.of(),
        List.of(new Check("refused==100%", "100 %", true)),
        slices,
        List.of(new LatencySeries("", "corrected", latencies)),
        START_EPOCH_MS);
  }

  /** A run that ended before it began. */
  static RunResult empty() {
    return new RunResult(
        "nothing", Map.of(), List.of(), List.of(), List.of(), List.of(), START_EPOCH_MS);
  }

  /** The load was more than the harness could give. */
  static RunResult warned() {
    final RunResult run = run("beyond the ceiling", 25, 8);
    return new RunResult(
        run.name(),
        run.facts(),
        List.of(
            "The harness started 3.2 % of the requests more than 1 ms late: the rate is beyond its"
                + " own ceiling of about 130,000/s on this machine, and the latencies include its"
                + " own delay.",
            "Client and target shared a core."),
        List.of(
            new Check("p99<2ms", "287 ms", false),
            new Check("errors<0.1%", "0.008 %", true),
            new Check("refused==40%", "8 %", false)),
        run.slices(),
        run.latencies(),
        run.startEpochMs());
  }
}
