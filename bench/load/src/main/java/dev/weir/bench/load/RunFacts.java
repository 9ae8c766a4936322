package dev.weir.bench.load;

import dev.weir.bench.load.LoadSink.Failure;
import dev.weir.bench.load.LoopRecorder.Count;
import dev.weir.bench.report.FigureText;
import dev.weir.bench.report.Machine;
import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.Protocol;
import dev.weir.bench.scenario.RequestSpec;
import dev.weir.bench.scenario.Secrets;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/** The facts that a report has beside a run's figures: requests, load, client, machine. */
record RunFacts(RunFigures figures) {
  /**
   * Facts by their names, in the order of the report.
   *
   * @param late how late the harness started requests.
   */
  Map<String, String> facts(Histogram late) {
    final ClientSettings client = figures.scenario().client();
    final Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        "Started",
        RunFigures.at(figures.times().startNs).truncatedTo(ChronoUnit.SECONDS).toString());
    facts.put(
        "Requests",
        figures.scenario().requests().stream()
            .map(RunFacts::text)
            .collect(Collectors.joining(", ")));
    facts.put("Keys", figures.scenario().keys().toString());
    facts.put("Load", load());
    facts.put("Client", client(client));
    facts.put(
        "Answers",
        RunFigures.number(figures.count(Count.PASSED))
            + " passed, "
            + RunFigures.number(figures.count(Count.REFUSED))
            + " refused, "
            + RunFigures.number(figures.count(Count.FAILED))
            + " failed"
            + outcomes());
    facts.put("Connections lost", RunFigures.number(figures.count(Count.RECONNECTED)));
    if (figures.scenario().requests().stream().anyMatch(spec -> spec.target().tls())) {
      facts.put(
          "TLS handshakes",
          RunFigures.number(figures.count(Count.HANDSHAKES))
              + ", "
              + RunFigures.number(figures.count(Count.RESUMED))
              + " of them resumed");
    }
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
            figures.cpuNs() / 1e9 / figures.seconds(),
            figures.cpuNs() / 1e3 / Math.max(1, figures.ended()));
    return figures.scenario().load().open()
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
        figures.scenario().load().open()
            ? String.format(
                Locale.ROOT,
                "open loop, %s requests due, %s/s on average, %s/s at the most",
                RunFigures.number(Math.round(figures.due())),
                RunFigures.number(Math.round(figures.due() / figures.seconds())),
                RunFigures.number(Math.round(figures.scenario().load().schedule().peakRate())))
            : "closed loop, the next request after the last answer";
    return what
        + String.format(
            Locale.ROOT,
            ", %.1f s after a warm-up of %.1f s",
            figures.seconds(),
            figures.scenario().load().warmUpNs() / 1e9);
  }

  private static String client(ClientSettings client) {
    return client.protocol()
        + ", "
        + client.connections()
        + " connections"
        + (client.protocol() == Protocol.HTTP1 ? "" : " of " + client.streams() + " streams")
        + (client.requestsPerConnection() == ClientSettings.NO_END
            ? ""
            : ", " + client.requestsPerConnection() + " requests on each")
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
      add(outcomes, Integer.toString(i), figures.sum(recorder -> recorder.httpAnswers(status)));
    }
    for (int i = 0; i < LoopRecorder.GRPC_STATUSES; i++) {
      final int status = i;
      add(outcomes, "gRPC " + i, figures.sum(recorder -> recorder.grpcAnswers(status)));
    }
    for (Failure failure : Failure.values()) {
      add(outcomes, failure.toString(), figures.sum(recorder -> recorder.failures(failure)));
    }
    return outcomes.toString();
  }

  private static void add(StringJoiner outcomes, String name, long count) {
    if (count > 0) {
      outcomes.add(name + ": " + RunFigures.number(count));
    }
  }
}
