package dev.weir.proxy.metrics;

import dev.weir.proxy.loop.OpenFiles;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * The figures that the system has of this process, under Prometheus's usual names: processor time
 * and start everywhere, memory and files on Linux.
 */
final class ProcessFigures implements MultiCollector {
  private static final double NS_PER_SECOND = 1e9;
  private static final double MS_PER_SECOND = 1e3;
  private static final double BYTES_PER_KB = 1024;

  private final Path status;

  ProcessFigures() {
    this(Path.of("/proc/self/status"));
  }

  /**
   * @param status the system's page about this process; one that cannot be read leaves its figures
   *     out.
   */
  ProcessFigures(Path status) {
    this.status = status;
  }

  @Override
  public MetricSnapshots collect() {
    Families out = new Families();
    ProcessHandle.Info process = ProcessHandle.current().info();
    Duration cpu = process.totalCpuDuration().orElse(Duration.ZERO);
    out.counter(
        "process_cpu_seconds",
        "Total user and system CPU time spent in seconds.",
        cpu.toNanos() / NS_PER_SECOND);
    out.gauge(
        "process_start_time_seconds",
        "Start time of the process since unix epoch in seconds.",
        process.startInstant().map(Instant::toEpochMilli).orElse(0L) / MS_PER_SECOND);
    addIfKnown(out, "process_open_fds", "Number of open file descriptors.", OpenFiles.count());
    addIfKnown(
        out, "process_max_fds", "Maximum number of open file descriptors.", OpenFiles.limit());
    addMemory(out);
    return out.build();
  }

  private static void addIfKnown(Families out, String name, String help, long value) {
    if (value >= 0) {
      out.gauge(name, help, value);
    }
  }

  private void addMemory(Families out) {
    try {
      for (String line : Files.readAllLines(status)) {
        if (line.startsWith("VmSize:")) {
          out.gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.", bytes(line));
        } else if (line.startsWith("VmRSS:")) {
          out.gauge("process_resident_memory_bytes", "Resident memory size in bytes.", bytes(line));
        }
      }
    } catch (IOException notLinux) {
      // Left out, as documented.
    }
  }

  /** Such as {@code VmRSS: 83412 kB}. */
  private static double bytes(String line) {
    String number = line.substring(line.indexOf(':') + 1, line.lastIndexOf(' ')).strip();
    return Long.parseLong(number) * BYTES_PER_KB;
  }
}
