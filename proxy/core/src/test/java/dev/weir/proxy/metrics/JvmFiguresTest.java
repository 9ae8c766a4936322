package dev.weir.proxy.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Our figures of JVM and process beside those of Prometheus's library. */
class JvmFiguresTest {
  private static final MetricSnapshots LIBRARY = library();

  private static MetricSnapshots library() {
    PrometheusRegistry registry = new PrometheusRegistry();
    JvmMetrics.builder().register(registry);
    return registry.scrape();
  }

  private static Map<String, MetricSnapshot> byName(MetricSnapshots families) {
    return families.stream()
        .collect(Collectors.toMap(family -> family.getMetadata().getName(), Function.identity()));
  }

  private static Set<Labels> labels(MetricSnapshot family) {
    return family.getDataPoints().stream()
        .map(DataPointSnapshot::getLabels)
        .collect(Collectors.toSet());
  }

  private static void assertTheLibraryHas(MultiCollector figures) {
    Map<String, MetricSnapshot> library = byName(LIBRARY);
    byName(figures.collect())
        .forEach(
            (name, family) -> {
              MetricSnapshot known = library.get(name);
              assertNotNull(known, () -> name + " not in " + new TreeSet<>(library.keySet()));
              assertEquals(known.getClass(), family.getClass(), name);
              assertEquals(known.getMetadata().getHelp(), family.getMetadata().getHelp(), name);
              assertEquals(labels(known), labels(family), name);
            });
  }

  @Test
  void haveTheLibrarysNamesTypesHelpAndLabels() {
    assertTheLibraryHas(new JvmFigures());
    assertTheLibraryHas(new ProcessFigures());
  }

  private static double value(MultiCollector figures, String name) {
    MetricSnapshot family = byName(figures.collect()).get(name);
    assertNotNull(family, name);
    DataPointSnapshot point = family.getDataPoints().get(0);
    return point instanceof CounterDataPointSnapshot counter
        ? counter.getValue()
        : ((GaugeDataPointSnapshot) point).getValue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jvm_memory_used_bytes",
        "jvm_memory_committed_bytes",
        "jvm_memory_pool_used_bytes",
        "jvm_threads_current",
        "jvm_threads_started",
        "jvm_classes_currently_loaded",
        "jvm_classes_loaded",
        "jvm_compilation_time_seconds",
      })
  void areOfTheSameSizeAsTheLibrarys(String name) {
    double library = value(() -> LIBRARY, name);
    double ours = value(new JvmFigures(), name);
    assertTrue(library / 10 <= ours && ours <= library * 10, ours + " beside " + library);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "process_cpu_seconds",
        "process_open_fds",
        "process_virtual_memory_bytes",
        "process_resident_memory_bytes",
      })
  void thoseOfTheProcessAreToo(String name) {
    double library = value(() -> LIBRARY, name);
    double ours = value(new ProcessFigures(), name);
    assertTrue(library / 10 <= ours && ours <= library * 10, ours + " beside " + library);
  }

  @Test
  void startAndLimitAreTheLibrarys() {
    ProcessFigures figures = new ProcessFigures();
    assertEquals(value(() -> LIBRARY, "process_max_fds"), value(figures, "process_max_fds"));
    assertEquals(
        value(() -> LIBRARY, "process_start_time_seconds"),
        value(figures, "process_start_time_seconds"),
        5);
  }

  @Test
  void whatTheSystemDoesNotTellIsLeftOut() {
    MetricSnapshots figures = new ProcessFigures(Path.of("/nonexistent")).collect();
    assertEquals(
        Set.of(),
        Set.copyOf(
            byName(figures).keySet().stream()
                .filter(name -> name.endsWith("_memory_bytes"))
                .toList()));
    assertTrue(byName(figures).containsKey("process_cpu_seconds"));
  }
}
