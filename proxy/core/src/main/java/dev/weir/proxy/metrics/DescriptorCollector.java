package dev.weir.proxy.metrics;

import dev.weir.proxy.metrics.DescriptorCounters.Outcome;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot.UnknownDataPointSnapshot;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

/**
 * The metrics of Envoy's rate-limit service, under the names that dashboards of
 * envoyproxy/ratelimit use. Counts have no type, as those names do not end as counters' do.
 */
record DescriptorCollector(
    Metrics metrics,
    LongSupplier unknownDomains,
    LongSupplier callerErrors,
    LongSupplier storeErrors,
    LongSupplier shadowed,
    LongSupplier loads,
    LongSupplier failedLoads)
    implements MultiCollector {
  private static final String SERVICE = "ratelimit_service_";
  private static final Labels METHOD = Labels.of("grpc_method", "ShouldRateLimit");

  @Override
  public MetricSnapshots collect() {
    MetricSnapshots.Builder out = MetricSnapshots.builder();
    Map<Labels, long[]> sums = sums();
    for (Outcome outcome : Outcome.values()) {
      UnknownSnapshot.Builder family =
          UnknownSnapshot.builder().name(outcome.figure()).help(outcome.help());
      sums.forEach((labels, of) -> family.dataPoint(point(labels, of[outcome.ordinal()])));
      out.metricSnapshot(family.build());
    }
    addCalls(out);
    out.metricSnapshot(
        UnknownSnapshot.builder()
            .name(SERVICE + "should_rate_limit_error")
            .help("Calls that failed, by whose fault it was.")
            .dataPoint(point(Labels.of("err_type", "redis_error"), storeErrors.getAsLong()))
            .dataPoint(point(Labels.of("err_type", "service_error"), callerErrors.getAsLong()))
            .build());
    out.metricSnapshot(
        one(
            "rate_limit_domain_not_found",
            "Calls of domains that are in no file, which pass.",
            unknownDomains));
    out.metricSnapshot(
        one(
            "global_shadow_mode",
            "Calls over their limits that passed, by ratelimit-shadow-mode.",
            shadowed));
    out.metricSnapshot(one("config_load_success", "Times that files were read and taken.", loads));
    out.metricSnapshot(one("config_load_error", "Times that files had faults.", failedLoads));
    return out.build();
  }

  /** How many calls were answered, and how long that took. */
  private void addCalls(MetricSnapshots.Builder out) {
    double[] bounds = new double[ResponseTimes.BUCKETS];
    long[] counts = new long[ResponseTimes.BUCKETS];
    double[] sumSeconds = {0};
    for (int i = 0; i < bounds.length; i++) {
      bounds[i] = ResponseTimes.boundSeconds(i);
    }
    metrics.forEachResponseTimes(
        times -> {
          for (int i = 0; i < counts.length; i++) {
            counts[i] += times.count(i);
          }
          sumSeconds[0] += times.sumSeconds();
        });
    out.metricSnapshot(
        UnknownSnapshot.builder()
            .name(SERVICE + "total_requests")
            .help("Calls that were answered.")
            .dataPoint(point(METHOD, LongStream.of(counts).sum()))
            .build());
    out.metricSnapshot(
        HistogramSnapshot.builder()
            .name(SERVICE + "response_time_seconds")
            .help("Time from the head of a call to its response.")
            .dataPoint(
                HistogramDataPointSnapshot.builder()
                    .labels(METHOD)
                    .classicHistogramBuckets(ClassicHistogramBuckets.of(bounds, counts))
                    .sum(sumSeconds[0])
                    .build())
            .build());
  }

  private static UnknownSnapshot one(String name, String help, LongSupplier value) {
    return UnknownSnapshot.builder()
        .name(SERVICE + name)
        .help(help)
        .dataPoint(point(Labels.EMPTY, value.getAsLong()))
        .build();
  }

  private static UnknownDataPointSnapshot point(Labels labels, long value) {
    return UnknownDataPointSnapshot.builder().labels(labels).value(value).build();
  }

  /** The sums over all event loops for each limit, by outcome. */
  private Map<Labels, long[]> sums() {
    Map<List<String>, long[]> sums = new HashMap<>();
    metrics.forEachDescriptor(
        (names, counters) -> {
          long[] of = sums.computeIfAbsent(names, x -> new long[Outcome.values().length]);
          for (Outcome outcome : Outcome.values()) {
            of[outcome.ordinal()] += counters.count(outcome);
          }
        });
    Map<Labels, long[]> sorted = new TreeMap<>(); // once, and not by each family again
    sums.forEach((names, of) -> sorted.put(labels(names), of));
    return sorted;
  }

  /** The domain, and a key for each level; the first two are always there. */
  private static Labels labels(List<String> names) {
    int levels = Math.max(2, names.size() - 1);
    String[] labels = new String[2 + 2 * levels];
    labels[0] = "domain";
    labels[1] = names.get(0);
    for (int level = 1; level <= levels; level++) {
      labels[2 * level] = "key" + level;
      labels[2 * level + 1] = level < names.size() ? names.get(level) : "";
    }
    return Labels.of(labels);
  }
}
