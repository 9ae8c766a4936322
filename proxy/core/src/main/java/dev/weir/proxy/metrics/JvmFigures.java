package dev.weir.proxy.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.lang.management.ThreadMXBean;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * The JVM's own figures, under the names, types and labels that Prometheus's library for them has,
 * so that what reads those reads these. The library takes them from JMX, whose first use costs a
 * quarter of a second of one core and some 10 MB; here are those that can be had without.
 */
final class JvmFigures implements MultiCollector {
  private static final double MS_PER_SECOND = 1e3;

  @Override
  public MetricSnapshots collect() {
    Families out = new Families();
    addMemory(out);
    addBuffers(out);
    addCollections(out);
    addThreads(out);
    addClasses(out);
    out.add(
        InfoSnapshot.builder()
            .name("jvm_runtime")
            .help("JVM runtime info")
            .dataPoint(InfoDataPointSnapshot.builder().labels(runtime()).build())
            .build());
    return out.build();
  }

  private static Labels runtime() {
    return Labels.of(
        "version",
        System.getProperty("java.runtime.version", "unknown"),
        "vendor",
        System.getProperty("java.vm.vendor", "unknown"),
        "runtime",
        System.getProperty("java.runtime.name", "unknown"));
  }

  private static void addMemory(Families out) {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    Map<Labels, MemoryUsage> areas = new LinkedHashMap<>();
    areas.put(Labels.of("area", "heap"), memory.getHeapMemoryUsage());
    areas.put(Labels.of("area", "nonheap"), memory.getNonHeapMemoryUsage());
    addUsage(out, "jvm_memory_", "(bytes)", "JVM memory area.", areas);
    Map<Labels, MemoryUsage> pools = new LinkedHashMap<>();
    ManagementFactory.getMemoryPoolMXBeans()
        .forEach(pool -> pools.put(Labels.of("pool", pool.getName()), pool.getUsage()));
    addUsage(out, "jvm_memory_pool_", "bytes", "JVM memory pool.", pools);
  }

  /**
   * @param bytes the unit as the library writes it in its help.
   */
  private static void addUsage(
      Families out, String prefix, String bytes, String of, Map<Labels, MemoryUsage> usages) {
    String given = " of a given " + of;
    out.gauge(prefix + "used_bytes", "Used bytes" + given, values(usages, MemoryUsage::getUsed));
    out.gauge(
        prefix + "committed_bytes",
        "Committed " + bytes + given,
        values(usages, MemoryUsage::getCommitted));
    out.gauge(prefix + "max_bytes", "Max " + bytes + given, values(usages, MemoryUsage::getMax));
    out.gauge(prefix + "init_bytes", "Initial bytes" + given, values(usages, MemoryUsage::getInit));
  }

  private static <T> Map<Labels, Double> values(Map<Labels, T> from, ToLongFunction<T> value) {
    Map<Labels, Double> values = new LinkedHashMap<>();
    from.forEach((labels, source) -> values.put(labels, (double) value.applyAsLong(source)));
    return values;
  }

  /** Memory outside the heap that goes through {@code ByteBuffer}: not Netty's, nor the tables. */
  private static void addBuffers(Families out) {
    Map<Labels, BufferPoolMXBean> pools = new LinkedHashMap<>();
    ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)
        .forEach(pool -> pools.put(Labels.of("pool", pool.getName()), pool));
    String pool = " of a given JVM buffer pool.";
    out.gauge(
        "jvm_buffer_pool_used_bytes",
        "Used bytes" + pool,
        values(pools, BufferPoolMXBean::getMemoryUsed));
    out.gauge(
        "jvm_buffer_pool_capacity_bytes",
        "Bytes capacity" + pool,
        values(pools, BufferPoolMXBean::getTotalCapacity));
    out.gauge(
        "jvm_buffer_pool_used_buffers",
        "Used buffers" + pool,
        values(pools, BufferPoolMXBean::getCount));
  }

  private static void addCollections(Families out) {
    SummarySnapshot.Builder family =
        SummarySnapshot.builder()
            .name("jvm_gc_collection_seconds")
            .help("Time spent in a given JVM garbage collector in seconds.");
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      family.dataPoint(
          SummaryDataPointSnapshot.builder()
              .labels(Labels.of("gc", collector.getName()))
              .count(collector.getCollectionCount())
              .sum(collector.getCollectionTime() / MS_PER_SECOND)
              .build());
    }
    out.add(family.build());
  }

  private static void addThreads(Families out) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    out.gauge("jvm_threads_current", "Current thread count of a JVM", threads.getThreadCount());
    out.gauge("jvm_threads_daemon", "Daemon thread count of a JVM", threads.getDaemonThreadCount());
    out.gauge("jvm_threads_peak", "Peak thread count of a JVM", threads.getPeakThreadCount());
    out.counter(
        "jvm_threads_started",
        "Started thread count of a JVM",
        threads.getTotalStartedThreadCount());
  }

  private static void addClasses(Families out) {
    ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
    out.gauge(
        "jvm_classes_currently_loaded",
        "The number of classes that are currently loaded in the JVM",
        classes.getLoadedClassCount());
    String since = " since the JVM has started execution";
    out.counter(
        "jvm_classes_loaded",
        "The total number of classes that have been loaded" + since,
        classes.getTotalLoadedClassCount());
    out.counter(
        "jvm_classes_unloaded",
        "The total number of classes that have been unloaded" + since,
        classes.getUnloadedClassCount());
    out.counter(
        "jvm_compilation_time_seconds",
        "The total time in seconds taken for HotSpot class compilation",
        ManagementFactory.getCompilationMXBean().getTotalCompilationTime() / MS_PER_SECOND);
  }
}
