package dev.weir.bench.load;

import dev.weir.bench.load.LoopRecorder.Count;
import dev.weir.bench.load.LoopRecorder.Time;
import dev.weir.bench.report.Check;
import dev.weir.bench.report.FigureText;
import dev.weir.bench.report.LatencySeries;
import dev.weir.bench.report.Machine;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.Protocol;
import dev.weir.bench.scenario.RequestSpec;
import dev.weir.bench.scenario.Scenario;
import dev.weir.bench.scenario.Secrets;
import dev.weir.bench.scenario.Threshold;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/** Makes a result of what a run recorded. */
final class RunSummary {
  /** A harness that is later than this, or than this part of the latencies, spoils them. */
  private static final double LATE_NS = 1_000_000;

  private static final double LATE_PART = 0.2;
  private static final double LATE_LEAST_NS = 100_000;

  /** How far the rate may be off before it is said. */
  private static final double RATE_ERROR = 0.01;

  private static final int CLIENT_ERROR = 400;

  private final Scenario scenario;
  private final RunTimes times;
  private final List<LoopRecorder> recorders;
  private final Sampler sampler;
  private final long cpuNs;
  private final int unanswered;
  private final int missing;
  private final double seconds;

  /**
   * @param unanswered requests without an answer when the run ended.
   * @param missing connections that were not there when it began.
   */
  RunSummary(
      Scenario scenario,
      RunTimes times,
      List<LoopRecorder> recorders,
      Sampler sampler,
      long cpuNs,
      int unanswered,
      int missing) {
    this.scenario = scenario;
    this.times = times;
    this.recorders = recorders;
    this.sampler = sampler;
    this.cpuNs = cpuNs;
    this.unanswered = unanswered;
    this.missing = missing;
    seconds = Math.max(1e-3, (times.endNs() - times.measuredFromNs()) / 1e9);
  }

  RunResult result() {
    final List<LatencySeries> series = series();
    final Histogram latencies = series.get(0).total();
    final Histogram late = new LatencySeries("", "", sampler.histograms(Time.LATE)).total();
    return new RunResult(
        scenario.name(),
        facts(late),
        warnings(latencies, late),
        scenario.thresholds().stream().map(threshold -> check(threshold, latencies)).toList(),
        sampler.slices(),
        series,
        at(times.measuredFromNs()).toEpochMilli());
  }

  private static Instant at(long ns) {
    return Instant.now().minusNanos(System.nanoTime() - ns);
  }

  private List<LatencySeries> series() {
    final List<LatencySeries> series = new ArrayList<>();
    if (scenario.load().open()) {
      series.add(new LatencySeries("", "corrected", sampler.histograms(Time.CORRECTED)));
      series.add(
          new LatencySeries(
              LatencySeries.UNCORRECTED,
              LatencySeries.UNCORRECTED,
              sampler.histograms(Time.UNCORRECTED)));
    } else {
      series.add(new LatencySeries("", "closed loop", sampler.histograms(Time.CORRECTED)));
    }
    if (count(Count.REFUSED) > 0) {
      series.add(new LatencySeries("refused", "refused", sampler.histograms(Time.REFUSED)));
    }
    return series;
  }

  private long count(Count count) {
    return sum(recorder -> recorder.count(count));
  }

  private long sum(ToLongFunction<LoopRecorder> of) {
    return recorders.stream().mapToLong(of).sum();
  }

  private long ended() {
    return count(Count.PASSED) + count(Count.REFUSED) + count(Count.FAILED);
  }

  private Map<String, String> facts(Histogram late) {
    final ClientSettings client = scenario.client();
    final Map<String, String> facts = new LinkedHashMap<>();
    facts.put("Started", at(times.startNs()).truncatedTo(ChronoUnit.SECONDS).toString());
    facts.put(
        "Requests",
        scenario.requests().stream().map(RunSummary::text).collect(Collectors.joining(", ")));
    facts.put("Keys", scenario.keys().toString());
    facts.put("Load", load());
    facts.put("Client", client(client));
    facts.put(
        "Answers",
        number(count(Count.PASSED))
            + " passed, "
            + number(count(Count.REFUSED))
            + " refused, "
            + number(count(Count.FAILED))
            + " failed"
            + outcomes());
    facts.put("Connections lost", number(count(Count.RECONNECTED)));
    facts.put("Harness", harness(late));
    facts.put("Machine", Machine.processor() + ", " + Machine.system());
    facts.put("JDK", Machine.jdk());
    return facts;
  }

  private String harness(Histogram late) {
    final String used =
        String.format(
            Locale.ROOT,
            "%.2f cores, %.2f us per request",
            cpuNs / 1e9 / seconds,
            cpuNs / 1e3 / Math.max(1, ended()));
    return scenario.load().open()
        ? used
            + String.format(
                "; started requests %s late (p50), %s (p99), %s (max)",
                FigureText.time(late.getValueAtPercentile(50)),
                FigureText.time(late.getValueAtPercentile(99)),
                FigureText.time(late.getMaxValue()))
        : used;
  }

  private static String text(RequestSpec spec) {
    return spec.method() + " " + spec.target() + Secrets.hiddenInUrl(spec.path());
  }

  private String load() {
    final String what =
        scenario.load().open()
            ? String.format(
                Locale.ROOT,
                "open loop, %s requests due, %s/s on average, %s/s at the most",
                number(Math.round(due())),
                number(Math.round(due() / seconds)),
                number(Math.round(scenario.load().schedule().peakRate())))
            : "closed loop, the next request after the last answer";
    return what
        + String.format(
            Locale.ROOT,
            ", %.1f s after a warm-up of %.1f s",
            seconds,
            scenario.load().warmUpNs() / 1e9);
  }

  private double due() {
    return scenario.load().schedule().countBy(times.endNs() - times.measuredFromNs());
  }

  private static String client(ClientSettings client) {
    return client.protocol()
        + ", "
        + client.connections()
        + " connections"
        + (client.protocol() == Protocol.HTTP1 ? "" : " of " + client.streams() + " streams")
        + ", "
        + client.eventLoops()
        + (client.eventLoops() == 1 ? " event loop" : " event loops")
        + ", time-out "
        + FigureText.time(client.timeoutNs());
  }

  private String outcomes() {
    final StringJoiner outcomes = new StringJoiner(", ", " (", ")");
    outcomes.setEmptyValue("");
    for (int i = 0; i < LoopRecorder.HTTP_STATUSES; i++) {
      final int status = i;
      add(outcomes, Integer.toString(i), sum(recorder -> recorder.httpAnswers(status)));
    }
    for (int i = 0; i < LoopRecorder.GRPC_STATUSES; i++) {
      final int status = i;
      add(outcomes, "gRPC " + i, sum(recorder -> recorder.grpcAnswers(status)));
    }
    for (Failure failure : Failure.values()) {
      add(outcomes, failure.toString(), sum(recorder -> recorder.failures(failure)));
    }
    return outcomes.toString();
  }

  private static void add(StringJoiner outcomes, String name, long count) {
    if (count > 0) {
      outcomes.add(name + ": " + number(count));
    }
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  private List<String> warnings(Histogram latencies, Histogram late) {
    final List<String> warnings = new ArrayList<>();
    if (times.stoppedEarly()) {
      warnings.add(
          String.format(Locale.ROOT, "Stopped early, after %.1f s of measuring.", seconds));
    }
    if (unanswered > 0) {
      warnings.add(
          number(unanswered)
              + " requests had no answer yet when it ended; they are not among the latencies.");
    }
    if (missing > 0) {
      warnings.add(number(missing) + " connections were not there when it began.");
    }
    final long faulty = clientErrors();
    if (faulty > 0) {
      warnings.add(
          number(faulty) + " answers were 4xx, but not 429: they count as passed, if they should.");
    }
    if (ended() == 0) {
      warnings.add("Nothing was answered, nothing failed: there is nothing to see here.");
    }
    if (!scenario.load().open()) {
      warnings.add(
          "A closed loop: whoever waits asks nothing, so stalls are left out of its latencies."
              + " Only its throughput says something.");
      return warnings;
    }
    final double lateNs = late.getValueAtPercentile(99);
    if (lateNs > LATE_NS
        || lateNs > Math.max(LATE_LEAST_NS, LATE_PART * latencies.getValueAtPercentile(99))) {
      warnings.add(
          "The harness itself was late: it started requests up to "
              + FigureText.time((long) lateNs)
              + " (p99) after it could have. The latencies are partly its own;"
              + " it needs a lower rate or more cores.");
    }
    final double sent = count(Count.SENT);
    if (due() - sent > Math.max(1, RATE_ERROR * due())) {
      warnings.add(
          String.format(
              Locale.ROOT,
              "%s of %s requests that were due could be started (%.1f %%): the target did not take"
                  + " more.",
              number((long) sent),
              number(Math.round(due())),
              100 * sent / due()));
    }
    return warnings;
  }

  private long clientErrors() {
    long sum = 0;
    for (int i = CLIENT_ERROR; i < LoopRecorder.SERVER_ERROR; i++) {
      final int status = i;
      sum +=
          status == LoopRecorder.TOO_MANY_REQUESTS
              ? 0
              : sum(recorder -> recorder.httpAnswers(status));
    }
    return sum;
  }

  private Check check(Threshold threshold, Histogram latencies) {
    final double value =
        switch (threshold.figure()) {
          case PERCENTILE -> time(latencies, threshold.percentile());
          case MAX -> time(latencies, 100);
          case MEAN -> latencies.getTotalCount() == 0 ? Double.NaN : latencies.getMean();
          case PASSED -> part(threshold, count(Count.PASSED));
          case REFUSED -> part(threshold, count(Count.REFUSED));
          // Where nothing ended, nothing is known of errors either.
          case ERRORS -> ended() == 0 ? Double.NaN : part(threshold, count(Count.FAILED));
          case RATE -> (count(Count.PASSED) + count(Count.REFUSED)) / seconds;
        };
    return new Check(threshold.text(), text(threshold, value), threshold.holds(value));
  }

  private static double time(Histogram latencies, double percentile) {
    return latencies.getTotalCount() == 0 ? Double.NaN : latencies.getValueAtPercentile(percentile);
  }

  private double part(Threshold threshold, long count) {
    return threshold.ofAll() ? (double) count / ended() : count;
  }

  private static String text(Threshold threshold, double value) {
    if (Double.isNaN(value)) {
      return "no answer";
    }
    return switch (threshold.figure()) {
      case PERCENTILE, MAX, MEAN -> FigureText.time((long) value);
      case RATE -> number(Math.round(value)) + "/s";
      default ->
          threshold.ofAll()
              ? String.format(Locale.ROOT, "%.3f %%", 100 * value)
              : number((long) value);
    };
  }
}
