package dev.weir.proxy.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Map;

/** Families of samples on their way into one exposition. */
final class Families {
  private final MetricSnapshots.Builder out = MetricSnapshots.builder();

  void add(MetricSnapshot family) {
    out.metricSnapshot(family);
  }

  void gauge(String name, String help, double value) {
    gauge(name, help, Map.of(Labels.EMPTY, value));
  }

  void gauge(String name, String help, Map<Labels, Double> values) {
    GaugeSnapshot.Builder family = GaugeSnapshot.builder().name(name).help(help);
    values.forEach(
        (labels, value) ->
            family.dataPoint(GaugeDataPointSnapshot.builder().labels(labels).value(value).build()));
    add(family.build());
  }

  /**
   * Adds a figure that only grows.
   *
   * @param name without {@code _total}.
   */
  void counter(String name, String help, double value) {
    counter(name, help, Map.of(Labels.EMPTY, value));
  }

  /**
   * Adds a figure that only grows, by its labels.
   *
   * @param name without {@code _total}.
   */
  void counter(String name, String help, Map<Labels, Double> values) {
    CounterSnapshot.Builder family = CounterSnapshot.builder().name(name).help(help);
    values.forEach(
        (labels, value) ->
            family.dataPoint(
                CounterDataPointSnapshot.builder().labels(labels).value(value).build()));
    add(family.build());
  }

  MetricSnapshots build() {
    return out.build();
  }
}
