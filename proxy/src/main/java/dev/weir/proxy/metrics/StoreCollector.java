package dev.weir.proxy.metrics;

import dev.weir.proxy.request.StoreFault;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

/** Turns the counters about the store into the Prometheus library's snapshots, at each scrape. */
final class StoreCollector implements MultiCollector {
  private final Metrics metrics;

  StoreCollector(Metrics metrics) {
    this.metrics = metrics;
  }

  @Override
  public MetricSnapshots collect() {
    MetricSnapshots.Builder out = MetricSnapshots.builder();
    for (StoreMetrics.Event event : StoreMetrics.Event.values()) {
      out.metricSnapshot(
          CounterSnapshot.builder()
              .name(event.metric())
              .help(event.help())
              .dataPoint(point(Labels.EMPTY, metrics.sum(event)))
              .build());
    }
    CounterSnapshot.Builder faults =
        CounterSnapshot.builder()
            .name("weir_store_undecided")
            .help("Requests on which the store gave no decision, by reason.");
    for (StoreFault fault : StoreFault.values()) {
      faults.dataPoint(point(Labels.of("reason", LabelText.of(fault)), metrics.sum(fault)));
    }
    return out.metricSnapshot(faults.build()).build();
  }

  private static CounterDataPointSnapshot point(Labels labels, double value) {
    return CounterDataPointSnapshot.builder().labels(labels).value(value).build();
  }
}
