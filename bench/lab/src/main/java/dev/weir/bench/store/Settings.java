package dev.weir.bench.store;

import dev.weir.bench.process.Cores;
import dev.weir.bench.report.Machine;
import dev.weir.bench.report.MarkdownReport;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * What is measured, and how long.
 *
 * @param only the ids to be measured; empty for all.
 * @param keys over which load is uniform.
 */
record Settings(
    Path redisServer, int rounds, double seconds, List<String> only, int keys, Cores cores) {
  static final double MIN_SECONDS = 0.05;
  static final double MAX_SECONDS = 60;
  static final int KEYS = 100_000;

  /** Not counted, before every measurement: connections, caches and the compiler settle. */
  double leadSeconds() {
    return Math.min(0.2, seconds / 4);
  }

  /** The warm-up of each variant before the first round. */
  double warmUpSeconds() {
    return Math.min(0.3, seconds);
  }

  boolean wants(String id) {
    return only.isEmpty() || only.contains(id);
  }

  /** Adds to a report how its figures were measured. */
  void describe(MarkdownReport report, String redisVersion) {
    report.fact("Started " + Instant.now().truncatedTo(ChronoUnit.MINUTES));
    report.fact("Redis " + redisVersion + ", no persistence, one thread; JDK " + Machine.jdk());
    report.fact(cores.text("Server", "client"));
    report.fact(
        "Medians of %d rounds of %s s (least..most), variants interleaved, each after a warm-up of"
            + " %s s",
        rounds, seconds, warmUpSeconds());
  }
}
