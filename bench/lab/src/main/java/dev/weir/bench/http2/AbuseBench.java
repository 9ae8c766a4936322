package dev.weir.bench.http2;

import dev.weir.bench.http2.FrameSocket.Blocks;
import dev.weir.bench.process.ProcessorTime;
import dev.weir.bench.process.SidecarProcess;
import dev.weir.bench.report.MarkdownTable;
import dev.weir.proxy.http2.FrameFlag;
import dev.weir.proxy.http2.FrameType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * The cost of each kind of abuse: processor time of the sidecar per byte of the attacker's, memory,
 * requests that it lets pass, and how long another client waits meanwhile. The honest twin of each
 * must lose no connection.
 */
final class AbuseBench {
  /** Settings of the sidecar, but for addresses and rules. */
  static final String SETTINGS = "event-loops: 1\n";

  private static final int PACE_MS = 10;
  private static final long PROBE_NS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Steps that the attacker sends before it reads what has come. */
  private static final int STEPS_AT_ONCE = 20;

  private final SidecarProcess weir;
  private final boolean isTls;
  private final long rowNs;
  private final Consumer<String> progress;
  private final Histogram waits = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
  private volatile boolean probing = true;

  /** Processor time of the other client alone, of a core. */
  private double othersCore;

  private volatile IOException lost;

  /**
   * @param isTls whether clients speak TLS.
   * @param seconds of each row.
   */
  AbuseBench(SidecarProcess weir, boolean isTls, double seconds, Consumer<String> progress) {
    this.weir = weir;
    this.isTls = isTls;
    rowNs = (long) (seconds * 1e9);
    this.progress = progress;
  }

  MarkdownTable run() throws IOException {
    final MarkdownTable table =
        new MarkdownTable(
            "client",
            "",
            "MB sent",
            "connections",
            "ns per byte",
            "core %",
            "MiB more",
            "admitted",
            "other's p99, ms");
    final Thread probe = new Thread(this::probe, "probe");
    probe.setDaemon(true);
    probe.start();
    LockSupport.parkNanos(rowNs);
    othersCore = measure(new Attacks.Row("nobody", true, true, 1, (c, step) -> {}), table);
    for (Attacks.Row row : Attacks.all()) {
      progress.accept(row.name());
      measure(row, table);
    }
    probing = false;
    if (lost != null) {
      throw new IOException("the other client has lost its connection", lost);
    }
    return table;
  }

  private FrameSocket connect() throws IOException {
    return isTls ? FrameSocket.connectTls(weir.port()) : FrameSocket.connect(weir.port());
  }

  private double measure(Attacks.Row row, MarkdownTable table) throws IOException {
    OpenStreams.await(weir, "weir_http2_connections_open", open -> open <= 1);
    final double mibBefore = ProcessorTime.residentMib(weir.pid());
    final double admittedBefore = admitted();
    final double cpuBefore = ProcessorTime.ofTreeUs(weir.pid());
    synchronized (waits) {
      waits.reset();
    }
    final long startNs = System.nanoTime();
    long sentBytes = 0;
    int connections = 0;
    double mostMib = mibBefore;
    while (System.nanoTime() - startNs < rowNs) {
      connections += row.clients();
      sentBytes += use(row, startNs + rowNs);
      mostMib = Math.max(mostMib, ProcessorTime.residentMib(weir.pid()));
    }
    final double seconds = (System.nanoTime() - startNs) / 1e9;
    final double cpuUs = ProcessorTime.ofTreeUs(weir.pid()) - cpuBefore;
    final double p99Ms;
    final double probes;
    synchronized (waits) {
      p99Ms = waits.getValueAtPercentile(99) / 1e6;
      probes = waits.getTotalCount();
    }
    table.add(
        row.name(),
        row.honest() ? "honest" : "attacker",
        text(sentBytes / 1e6),
        Integer.toString(connections),
        row.honest() ? "" : text((cpuUs - othersCore * seconds * 1e6) * 1e3 / sentBytes),
        text(cpuUs / 1e4 / seconds),
        text(mostMib - mibBefore),
        Long.toString((long) (admitted() - admittedBefore - probes)),
        text(p99Ms));
    if (row.honest() && connections != row.clients()) {
      throw new IOException(row.name() + ": lost its connection");
    }
    return cpuUs / 1e6 / seconds;
  }

  private static String text(double number) {
    return String.format(Locale.ROOT, "%,.2f", number);
  }

  private double admitted() throws IOException {
    return weir.metric("weir_requests_total") - weir.metric("weir_refusals_total");
  }

  /** Does what a row says on its connections, until one ends or the time is up; their bytes. */
  private long use(Attacks.Row row, long untilNs) throws IOException {
    final List<FrameSocket> clients = new ArrayList<>();
    try {
      for (int i = 0; i < row.clients(); i++) {
        clients.add(connect());
        clients.get(i).number(FrameType.WINDOW_UPDATE, 0, 1 << 30);
      }
      try {
        for (int step = 0; System.nanoTime() < untilNs; step++) {
          final long dueNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PACE_MS);
          for (FrameSocket client : clients) {
            row.attack().write(client, step);
            if (row.paced() || step % STEPS_AT_ONCE == STEPS_AT_ONCE - 1) {
              client.flush();
              while (client.hasInput()) {
                take(client);
              }
            }
          }
          if (row.paced()) {
            LockSupport.parkNanos(dueNs - System.nanoTime());
          }
        }
      } catch (IOException ended) {
        // By the sidecar: the row says how often.
      }
      return clients.stream().mapToLong(FrameSocket::sentBytes).sum();
    } finally {
      for (FrameSocket client : clients) {
        client.close();
      }
    }
  }

  private static void take(FrameSocket client) throws IOException {
    final FrameSocket.Frame frame = client.read();
    if (frame.type() == FrameType.GOAWAY) {
      throw new IOException("told to go away");
    }
    if (frame.type() == FrameType.DATA && frame.payload().length > 0) {
      client.number(FrameType.WINDOW_UPDATE, 0, frame.payload().length);
    }
    if (frame.type() == FrameType.PING && !frame.has(FrameFlag.ACK)) {
      client.frame(FrameType.PING, FrameFlag.ACK, 0, frame.payload());
    }
  }

  /** Another client, with a request each 5 ms, timed from when it was to be sent. */
  private void probe() {
    final byte[] block = Blocks.request("GET", "/a");
    try (FrameSocket client = connect()) {
      long dueNs = System.nanoTime();
      for (int id = 1; probing; id += 2) {
        while (System.nanoTime() < dueNs) {
          LockSupport.parkNanos(dueNs - System.nanoTime());
        }
        client.headers(id, true, block);
        client.flush();
        FrameSocket.Frame frame = client.read();
        while (frame.streamId() != id || !frame.has(FrameFlag.END_STREAM)) {
          frame = client.read();
        }
        synchronized (waits) {
          waits.recordValue(System.nanoTime() - dueNs);
        }
        dueNs += PROBE_NS;
      }
    } catch (IOException ended) {
      lost = ended;
    }
  }
}
