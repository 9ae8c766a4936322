package dev.weir.proxy.metrics;

import dev.weir.proxy.metrics.RuleCounters.Outcome;
import dev.weir.proxy.request.Protocol;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Turns the counters into the Prometheus library's snapshots, at each scrape. */
final class WeirCollector implements MultiCollector {
  private static final double NS_PER_SECOND = 1e9;
  private static final double[] QUANTILES = {0.5, 0.9, 0.99, 0.999};

  private final Metrics metrics;

  WeirCollector(Metrics metrics) {
    this.metrics = metrics;
  }

  @Override
  public MetricSnapshots collect() {
    Families out = new Families();
    for (LoopCounter counter : LoopFigures.counters()) {
      if (isExposed(counter)) {
        add(counter, out);
      }
    }
    for (OpenGauge gauge : LoopFigures.gauges()) {
      if (isExposed(gauge.begun())) {
        out.gauge(gauge.name(), gauge.help(), metrics.sum(gauge));
      }
    }
    addDecisions(out, RuleCounters.NAME, RuleCounters.HELP, metrics.decisions());
    if (metrics.exposesDecisions()) {
      addDecisions(out, RuleCounters.NAME_OF_ASKED, RuleCounters.HELP_OF_ASKED, metrics.asked());
    }
    out.add(latencies());
    out.add(latenciesByProtocol());
    metrics
        .supplied()
        .forEach(
            (name, figure) -> {
              Map<Labels, Double> values = new TreeMap<>();
              figure.values().forEach((labels, value) -> values.put(labels, value.getAsDouble()));
              if (figure.isCounter()) {
                out.counter(name, figure.help(), values);
              } else {
                out.gauge(name, figure.help(), values);
              }
            });
    return out.build();
  }

  /** Whether nobody else may supply a figure of that name, which is without {@code _total}. */
  static boolean isOwnName(String name) {
    return name.equals(RuleCounters.NAME)
        || name.equals(RuleCounters.NAME_OF_ASKED)
        || name.equals(LatencyStep.NAME)
        || name.equals(LatencyStep.NAME_BY_PROTOCOL)
        || LoopFigures.counters().stream().anyMatch(counter -> counter.name().equals(name))
        || LoopFigures.gauges().stream().anyMatch(gauge -> gauge.name().equals(name));
  }

  private void add(LoopCounter counter, Families out) {
    Map<Labels, Double> values = new LinkedHashMap<>();
    for (int i = 0; i < counter.wordCount(); i++) {
      Labels labels =
          counter.label() == null
              ? Labels.EMPTY
              : Labels.of(counter.label(), counter.values().get(i));
      values.put(labels, (double) metrics.sum(counter.word() + i));
    }
    out.counter(counter.name(), counter.help(), values);
  }

  private boolean isExposed(LoopCounter counter) {
    return LoopFigures.isOfStore(counter)
        ? metrics.exposesStore()
        : !LoopFigures.isOfDecisions(counter.name()) || metrics.exposesDecisions();
  }

  private static void addDecisions(
      Families out, String name, String help, Map<String, long[]> byRule) {
    Map<Labels, Double> values = new LinkedHashMap<>();
    byRule.forEach(
        (rule, sums) -> {
          for (Outcome outcome : Outcome.values()) {
            long sum = sums[outcome.ordinal()];
            if (sum != RuleFigures.NOT_SHOWN) {
              values.put(Labels.of("rule", rule, "outcome", outcome.label()), (double) sum);
            }
          }
        });
    out.counter(name, help, values);
  }

  private SummarySnapshot latencies() {
    SummarySnapshot.Builder family =
        SummarySnapshot.builder().name(LatencyStep.NAME).help(LatencyStep.HELP);
    for (LatencyStep step : LatencyStep.values()) {
      family.dataPoint(
          point(Labels.of("step", step.label()), metrics.latencies().summary(step, QUANTILES)));
    }
    return family.build();
  }

  private SummarySnapshot latenciesByProtocol() {
    SummarySnapshot.Builder family =
        SummarySnapshot.builder()
            .name(LatencyStep.NAME_BY_PROTOCOL)
            .help(LatencyStep.HELP_BY_PROTOCOL);
    for (Protocol protocol : metrics.latencies().protocols()) {
      for (LatencyStep step : LatencyStep.values()) {
        if (step.isByProtocol()) {
          family.dataPoint(
              point(
                  Labels.of("protocol", LabelText.of(protocol), "step", step.label()),
                  metrics.latencies().summary(step, protocol, QUANTILES)));
        }
      }
    }
    return family.build();
  }

  private static SummaryDataPointSnapshot point(Labels labels, LatencySummary summary) {
    List<Quantile> quantiles = new ArrayList<>(QUANTILES.length);
    for (int i = 0; i < QUANTILES.length; i++) {
      quantiles.add(new Quantile(QUANTILES[i], summary.valuesNs()[i] / NS_PER_SECOND));
    }
    return SummaryDataPointSnapshot.builder()
        .labels(labels)
        .count(summary.count())
        .sum(summary.sumNs() / NS_PER_SECOND)
        .quantiles(summary.count() == 0 ? Quantiles.EMPTY : Quantiles.of(quantiles))
        .build();
  }
}
