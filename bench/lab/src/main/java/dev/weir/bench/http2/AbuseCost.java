package dev.weir.bench.http2;

import dev.weir.bench.process.ServerCertificate;
import dev.weir.proxy.http2.FrameFlag;
import dev.weir.proxy.http2.FrameType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * What each kind of abuse costs a sidecar: processor time for each byte of the attacker's, memory,
 * requests that it lets pass, and how long another client waits meanwhile. The honest twin of each
 * must lose no connection.
 */
final class AbuseCost implements Proof {
  private final boolean isTls;

  private static final long ROW_NS =
      TimeUnit.MILLISECONDS.toNanos(Integer.getInteger("row.ms", 5_000));
  private static final int PACE_MS = 10;
  private static final long PROBE_NS = TimeUnit.MILLISECONDS.toNanos(5);

  /** What the attacker may send before it looks for what has come. */
  private static final int STEPS_AT_ONCE = 20;

  private final Histogram waits = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
  private volatile boolean probing = true;

  /** What the other client alone takes of a core. */
  private double othersCore;

  private volatile IOException lost;

  /**
   * @param isTls whether clients speak TLS.
   */
  AbuseCost(boolean isTls) {
    this.isTls = isTls;
  }

  @Override
  public void run(Path folder, ProofReport report) throws IOException {
    report.table(
        "client",
        "",
        "MB sent",
        "connections",
        "ns per byte",
        "core %",
        "MiB more",
        "admitted",
        "other's p99, ms");
    try (Http2Service service = new Http2Service();
        Sidecar weir =
            new Sidecar(folder, settings(service), isTls ? ServerCertificate.make(folder) : null)) {
      final Thread probe = new Thread(() -> probe(weir), "probe");
      probe.setDaemon(true);
      probe.start();
      Pause.ms(TimeUnit.NANOSECONDS.toMillis(ROW_NS));
      othersCore = measure(weir, new Attacks.Row("nobody", true, true, 1, (c, step) -> {}), report);
      for (Attacks.Row row : Attacks.all()) {
        measure(weir, row, report);
      }
      probing = false;
      if (lost != null) {
        throw new IOException("the other client has lost its connection", lost);
      }
    }
  }

  private static String settings(Http2Service service) {
    return "upstream: h2c://127.0.0.1:"
        + service.port()
        + "\nevent-loops: 1\nrules:\n  - {id: all, key: ip, limit: 1000000/1s}\n";
  }

  /** Returns the part of a core that the sidecar took. */
  private double measure(Sidecar weir, Attacks.Row row, ProofReport report) throws IOException {
    ProofReport.require(weir.awaitAtMost("weir_http2_connections_open", 1), "it stays connected");
    final double mibBefore = weir.residentMib();
    final double admittedBefore = admitted(weir);
    final double cpuBefore = weir.processorUs();
    synchronized (waits) {
      waits.reset();
    }
    final long startNs = System.nanoTime();
    long sentBytes = 0;
    int connections = 0;
    double mostMib = mibBefore;
    while (System.nanoTime() - startNs < ROW_NS) {
      connections += row.clients();
      sentBytes += use(weir, row, startNs + ROW_NS);
      mostMib = Math.max(mostMib, weir.residentMib());
    }
    final double seconds = (System.nanoTime() - startNs) / 1e9;
    final double cpuUs = weir.processorUs() - cpuBefore;
    final double p99Ms;
    final double probes;
    synchronized (waits) {
      p99Ms = waits.getValueAtPercentile(99) / 1e6;
      probes = waits.getTotalCount();
    }
    report.row(
        row.name(),
        row.honest() ? "honest" : "attacker",
        sentBytes / 1e6,
        connections,
        row.honest() ? "" : (cpuUs - othersCore * seconds * 1e6) * 1e3 / sentBytes,
        cpuUs / 1e4 / seconds,
        mostMib - mibBefore,
        (long) (admitted(weir) - admittedBefore - probes),
        p99Ms);
    ProofReport.require(
        !row.honest() || connections == row.clients(), row.name() + ": lost its connection");
    return cpuUs / 1e6 / seconds;
  }

  private static double admitted(Sidecar weir) throws IOException {
    return weir.figure("weir_requests_total") - weir.figure("weir_refusals_total");
  }

  /** Does what a row says on its connections, until one ends or the time is up; their bytes. */
  private static long use(Sidecar weir, Attacks.Row row, long untilNs) throws IOException {
    final List<FrameSocket> clients = new ArrayList<>();
    try {
      for (int i = 0; i < row.clients(); i++) {
        clients.add(weir.connect());
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
  private void probe(Sidecar weir) {
    final byte[] block = Blocks.request("GET", "/a");
    try (FrameSocket client = weir.connect()) {
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
