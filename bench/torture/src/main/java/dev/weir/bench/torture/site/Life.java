package dev.weir.bench.torture.site;

import dev.weir.bench.process.ServerProcess;
import dev.weir.bench.process.SidecarProcess;
import dev.weir.bench.torture.judge.ProcessEnd;
import dev.weir.bench.torture.traffic.Target;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** One process of a sidecar, from its start to its end. */
final class Life implements AutoCloseable {
  /** Gauges that are as before when all clients have gone. */
  private static final List<String> GAUGES =
      List.of(
          "weir_connections_open",
          "weir_http2_connections_open",
          "weir_http2_streams_open",
          "weir_requests_in_flight",
          "weir_requests_waiting",
          "weir_upstream_http2_streams_open",
          "weir_upstream_streams_open",
          "weir_upstream_waiting",
          "weir_decision_connections_open",
          "weir_decision_http2_connections_open",
          "weir_decision_http2_streams_open",
          "weir_store_lease_units_held",
          "weir_store_holds_ended_open",
          "weir_holdings_open",
          "weir_holdings_unknown_total",
          "weir_internal_errors_total");

  /** Closed after 4 s without a use; of HTTP/2 one is kept. */
  private static final String UPSTREAM = "weir_upstream_connections_open";

  private static final String UPSTREAM_HTTP2 = "weir_upstream_http2_connections_open";

  private static final String PASSED_UNDECIDED = "weir_store_fallback_allowed_total";

  /** Requests that may have passed undecided behind the last reading of a process that ended. */
  private static final long UNREAD = 50;

  private static final long UNKNOWN = -1;

  private static final Path JCMD = Path.of(System.getProperty("java.home"), "bin", "jcmd");
  private static final long COLLECT_SECONDS = 20;

  /** Streaming calls that a connection may have. */
  private static final int STREAMING_CALLS = 8;

  private final Target target;
  private final int adminPort;
  private final Path log;
  private final ServerProcess process;
  private Map<String, Double> gaugesBefore = Map.of();
  private long descriptorsBefore;
  private long threadsBefore;
  private long rssMibBefore;
  private long passedUndecided;
  private final Map<String, Double> peaks = new ConcurrentHashMap<>();
  private boolean wasToEnd;
  private boolean killed;

  Life(Target target, int adminPort, Path log, ServerProcess process) {
    this.target = target;
    this.adminPort = adminPort;
    this.log = log;
    this.process = process;
  }

  Target target() {
    return target;
  }

  int adminPort() {
    return adminPort;
  }

  ServerProcess process() {
    return process;
  }

  /** The sum of the metrics of a name, over all labels. */
  double metric(String name) throws IOException {
    return metric(SidecarProcess.metrics(adminPort), name);
  }

  private static double metric(String page, String name) {
    return page.lines()
        .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private Map<String, Double> gauges() throws IOException {
    final String page = SidecarProcess.metrics(adminPort);
    passedUndecided = (long) metric(page, PASSED_UNDECIDED);
    final Map<String, Double> gauges = new LinkedHashMap<>();
    GAUGES.forEach(name -> gauges.put(name, metric(page, name)));
    gauges.put(UPSTREAM, metric(page, UPSTREAM) - metric(page, UPSTREAM_HTTP2));
    return gauges;
  }

  /** Remembers how it is before any traffic. */
  void remember() throws IOException {
    gaugesBefore = gauges();
    rssMibBefore = rssMib();
    descriptorsBefore = entries("fd");
    threadsBefore = entries("task");
  }

  /** Notes what it keeps now. Any thread. */
  void lookAtPeaks() {
    try {
      final String page = SidecarProcess.metrics(adminPort);
      peaks.merge(ProcessEnd.STREAMS, metric(page, ProcessEnd.STREAMS), Math::max);
      final double above =
          metric(page, "weir_decision_http2_streams_open")
              - STREAMING_CALLS * metric(page, "weir_decision_http2_connections_open");
      peaks.merge(ProcessEnd.DECISION_STREAMS, above, Math::max);
      peaks.merge(ProcessEnd.RSS_MIB, (double) rssMib(), Math::max);
    } catch (IOException e) {
      // The process is stopped, or has ended: the last reading stands.
    }
  }

  /** Ends it by SIGKILL. */
  void kill() throws IOException {
    wasToEnd = true;
    killed = true;
    readLast();
    process.signal("KILL");
  }

  /** Asks it to end. */
  void terminate() throws IOException {
    wasToEnd = true;
    readLast();
    process.signal("TERM");
  }

  private void readLast() {
    try {
      gauges();
    } catch (IOException e) {
      passedUndecided = UNKNOWN;
    }
  }

  /** How many requests it let pass because the store did not decide, at most; -1 if unknown. */
  long passedUndecided() {
    return passedUndecided == UNKNOWN || !wasToEnd ? passedUndecided : passedUndecided + UNREAD;
  }

  /** How it is now. */
  ProcessEnd end() {
    final Map<String, Double> gauges = new LinkedHashMap<>();
    ProcessEnd.Growth descriptors = ProcessEnd.NOTHING;
    ProcessEnd.Growth threads = ProcessEnd.NOTHING;
    ProcessEnd.Growth rssMib = ProcessEnd.NOTHING;
    if (process.isAlive()) {
      try {
        gauges.putAll(gauges());
        rssMib = new ProcessEnd.Growth(rssMibBefore, keptRssMib());
        descriptors = new ProcessEnd.Growth(descriptorsBefore, entries("fd"));
        threads = new ProcessEnd.Growth(threadsBefore, entries("task"));
      } catch (IOException e) {
        gauges.put("no answer of the admin port, " + e, 1.0);
      }
    }
    return new ProcessEnd(
        target.sidecar(),
        target.life(),
        wasToEnd,
        killed,
        process.exitStatus(),
        gaugesBefore,
        gauges,
        descriptors,
        threads,
        rssMib,
        Map.copyOf(peaks),
        log());
  }

  private long entries(String folder) throws IOException {
    try (Stream<Path> entries = Files.list(proc(folder))) {
      return entries.count();
    }
  }

  /** Memory; if it has grown, once the JVM has collected and given back what nobody uses. */
  private long keptRssMib() throws IOException {
    if (rssMib() > rssMibBefore + ProcessEnd.RSS_MORE_MIB) {
      collect();
    }
    return rssMib();
  }

  private void collect() throws IOException {
    final Process collecting =
        new ProcessBuilder(JCMD.toString(), Long.toString(process.pid()), "GC.run")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (!collecting.waitFor(COLLECT_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("the JVM has not collected within " + COLLECT_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      collecting.destroyForcibly();
    }
  }

  private long rssMib() throws IOException {
    return Files.readAllLines(proc("status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1_024)
        .sum();
  }

  private Path proc(String file) {
    return Path.of("/proc", Long.toString(process.pid()), file);
  }

  String log() {
    try {
      return Files.readString(log, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
