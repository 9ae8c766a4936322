package dev.weir.proxy.metrics;

import dev.weir.proxy.metrics.LoopMetrics.Event;
import dev.weir.proxy.metrics.RuleCounters.Outcome;
import dev.weir.proxy.request.RefusalReason;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Turns the counters into the Prometheus library's snapshots, at each scrape. */
final class WeirCollector implements MultiCollector {
  /** Names, without {@code _total}, that nobody else may supply. */
  static final Set<String> OWN_NAMES =
      Set.of(
          "weir_decisions",
          "weir_refusals",
          "weir_responses",
          "weir_connections",
          "weir_connections_open",
          "weir_connections_refused",
          "weir_requests",
          "weir_requests_in_flight",
          "weir_requests_held",
          "weir_requests_waiting",
          "weir_tunnels",
          "weir_upstream_connections",
          "weir_upstream_connections_open",
          "weir_upstream_streams",
          "weir_upstream_streams_open",
          "weir_upstream_waits",
          "weir_charges_given_back",
          "weir_upstream_waiting",
          "weir_verdicts_dropped",
          "weir_latency_seconds");

  private static final double NS_PER_SECOND = 1e9;
  private static final double[] QUANTILES = {0.5, 0.9, 0.99, 0.999};

  private final Metrics metrics;

  WeirCollector(Metrics metrics) {
    this.metrics = metrics;
  }

  @Override
  public MetricSnapshots collect() {
    MetricSnapshots.Builder out = MetricSnapshots.builder();
    addEvents(out);
    out.metricSnapshot(decisions()).metricSnapshot(refusals()).metricSnapshot(responses());
    out.metricSnapshot(latencies());
    metrics
        .supplied()
        .forEach(
            (name, figure) -> {
              double value = figure.value().getAsDouble();
              if (figure.isCounter()) {
                addCounter(out, name, figure.help(), value);
              } else {
                addGauge(out, name, figure.help(), value);
              }
            });
    return out.build();
  }

  private void addEvents(MetricSnapshots.Builder out) {
    addGauge(
        out,
        "weir_connections_open",
        "Client connections open now.",
        metrics.open(Event.CONNECTION_OPENED, Event.CONNECTION_CLOSED));
    addCounter(out, "weir_connections", "Client connections.", Event.CONNECTION_OPENED);
    addCounter(
        out,
        "weir_connections_refused",
        "Client connections turned away at the door.",
        Event.CONNECTION_REFUSED);
    addCounter(out, "weir_requests", "Requests begun.", Event.REQUEST_STARTED);
    addGauge(
        out,
        "weir_requests_in_flight",
        "Requests begun and not ended.",
        metrics.open(Event.REQUEST_STARTED, Event.REQUEST_ENDED));
    addCounter(
        out, "weir_requests_held", "Requests held until their slot came.", Event.REQUEST_HELD);
    addGauge(
        out,
        "weir_requests_waiting",
        "Requests held now.",
        metrics.open(Event.REQUEST_HELD, Event.REQUEST_RELEASED));
    addCounter(out, "weir_tunnels", "Connections that became tunnels.", Event.TUNNEL_OPENED);
    addCounter(
        out, "weir_upstream_connections", "Connections to the service.", Event.UPSTREAM_OPENED);
    addGauge(
        out,
        "weir_upstream_connections_open",
        "Connections to the service open now.",
        metrics.open(Event.UPSTREAM_OPENED, Event.UPSTREAM_CLOSED));
    addCounter(
        out,
        "weir_upstream_streams",
        "Exchanges that became streams: tunnels, server-sent events, and all that took long.",
        Event.STREAM_OPENED);
    addGauge(
        out,
        "weir_upstream_streams_open",
        "Connections to the service that streams hold now.",
        metrics.open(Event.STREAM_OPENED, Event.STREAM_CLOSED));
    addCounter(
        out,
        "weir_upstream_waits",
        "Requests that had to wait for a connection to the service.",
        Event.UPSTREAM_WAIT_BEGUN);
    addCounter(
        out,
        "weir_charges_given_back",
        "Charges given back to requests that waited for a connection in vain.",
        Event.CHARGE_GIVEN_BACK);
    addGauge(
        out,
        "weir_upstream_waiting",
        "Requests that wait for a connection to the service now.",
        metrics.open(Event.UPSTREAM_WAIT_BEGUN, Event.UPSTREAM_WAIT_ENDED));
    addCounter(
        out,
        "weir_verdicts_dropped",
        "Verdicts that came after their client had gone.",
        Event.VERDICT_DROPPED);
  }

  private CounterSnapshot decisions() {
    CounterSnapshot.Builder family =
        CounterSnapshot.builder()
            .name("weir_decisions")
            .help("Requests decided, by rule and by what became of them.");
    metrics
        .decisions()
        .forEach(
            (rule, sums) -> {
              for (Outcome outcome : Outcome.values()) {
                Labels labels = Labels.of("rule", rule, "outcome", outcome.label());
                family.dataPoint(point(labels, sums[outcome.ordinal()]));
              }
            });
    return family.build();
  }

  private CounterSnapshot refusals() {
    CounterSnapshot.Builder family =
        CounterSnapshot.builder()
            .name("weir_refusals")
            .help("Requests answered here instead of by the service, by reason.");
    for (RefusalReason reason : RefusalReason.values()) {
      String label = LabelText.of(reason);
      family.dataPoint(point(Labels.of("reason", label), metrics.sum(reason)));
    }
    return family.build();
  }

  private CounterSnapshot responses() {
    CounterSnapshot.Builder family =
        CounterSnapshot.builder()
            .name("weir_responses")
            .help("The service's responses passed on whole, by status class.");
    for (int i = 0; i < LoopMetrics.STATUS_CLASSES; i++) {
      Labels labels = Labels.of("class", i == 0 ? "other" : i + "xx");
      family.dataPoint(point(labels, metrics.sumResponses(i)));
    }
    return family.build();
  }

  private SummarySnapshot latencies() {
    SummarySnapshot.Builder family =
        SummarySnapshot.builder()
            .name("weir_latency_seconds")
            .help("Time per step of a request, since the start.");
    for (LatencyStep step : LatencyStep.values()) {
      LatencySummary summary = metrics.latencies().summary(step, QUANTILES);
      List<Quantile> quantiles = new ArrayList<>(QUANTILES.length);
      for (int i = 0; i < QUANTILES.length; i++) {
        quantiles.add(new Quantile(QUANTILES[i], summary.valuesNs()[i] / NS_PER_SECOND));
      }
      family.dataPoint(
          SummaryDataPointSnapshot.builder()
              .labels(Labels.of("step", step.label()))
              .count(summary.count())
              .sum(summary.sumNs() / NS_PER_SECOND)
              .quantiles(summary.count() == 0 ? Quantiles.EMPTY : Quantiles.of(quantiles))
              .build());
    }
    return family.build();
  }

  private void addCounter(MetricSnapshots.Builder out, String name, String help, Event event) {
    addCounter(out, name, help, metrics.sum(event));
  }

  private static void addCounter(
      MetricSnapshots.Builder out, String name, String help, double value) {
    out.metricSnapshot(
        CounterSnapshot.builder()
            .name(name)
            .help(help)
            .dataPoint(point(Labels.EMPTY, value))
            .build());
  }

  private static void addGauge(
      MetricSnapshots.Builder out, String name, String help, double value) {
    out.metricSnapshot(
        GaugeSnapshot.builder()
            .name(name)
            .help(help)
            .dataPoint(GaugeDataPointSnapshot.builder().value(value).build())
            .build());
  }

  private static CounterDataPointSnapshot point(Labels labels, double value) {
    return CounterDataPointSnapshot.builder().labels(labels).value(value).build();
  }
}
