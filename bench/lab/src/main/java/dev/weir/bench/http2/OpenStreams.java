package dev.weir.bench.http2;

import dev.weir.bench.http2.FrameSocket.Blocks;
import dev.weir.bench.process.ProcessorTime;
import dev.weir.bench.process.Programs;
import dev.weir.bench.process.SidecarProcess;
import dev.weir.bench.report.MarkdownTable;
import dev.weir.proxy.http2.FrameType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoublePredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Memory of a sidecar with 400 connections of 100 streams each, all open at once: within the share
 * of the heap that one address has.
 */
final class OpenStreams {
  /** Settings of the sidecar, but for addresses and rules: all may wait for the service. */
  static final String SETTINGS =
      """
      event-loops: 2
      caps: {upstream-queue: 65535, connections-per-address: 5000}
      timeouts: {upstream-queue: 10m, response: 10m, idle: 10m}
      """;

  private static final int CONNECTIONS = 400;
  private static final int STREAMS = 100;
  private static final Pattern OTHER_MEMORY =
      Pattern.compile("Other \\(reserved=\\d+KB, committed=(\\d+)KB\\)");

  private final SidecarProcess weir;
  private final List<FrameSocket> clients = new ArrayList<>();

  OpenStreams(SidecarProcess weir) {
    this.weir = weir;
  }

  MarkdownTable run() throws IOException {
    final MarkdownTable table =
        new MarkdownTable("", "resident MiB", "each, KiB", "of it buffers beside the heap, MiB");
    ask(1); // classes are loaded, and the connection to the service is made
    ask(1);
    final double nothing = add(table, "before", 0, 1);
    while (clients.size() < CONNECTIONS + 2) {
      clients.add(FrameSocket.connect(weir.port()));
      clients.get(clients.size() - 1).flush();
    }
    await(weir, "weir_http2_connections_open", open -> open >= CONNECTIONS + 2);
    final double connected = add(table, CONNECTIONS + " connections", nothing, CONNECTIONS);
    for (FrameSocket client : clients.subList(2, clients.size())) {
      request(client, STREAMS);
    }
    final int streams = CONNECTIONS * STREAMS;
    await(weir, "weir_http2_streams_open", open -> open >= streams + 2);
    add(table, streams + " streams", connected, streams);
    for (FrameSocket client : clients) {
      client.close();
    }
    await(weir, "weir_http2_streams_open", open -> open <= 0);
    add(table, "all closed", 0, 1);
    return table;
  }

  private double add(MarkdownTable table, String name, double beforeMib, int count)
      throws IOException {
    final double mib = ProcessorTime.residentMib(weir.pid());
    final String each = count == 1 ? "" : text((mib - beforeMib) * 1024 / count);
    table.add(name, text(mib), each, buffersMib());
    return mib;
  }

  /** Memory beside the heap as the JVM counts it, if it was started so that it does. */
  private String buffersMib() throws IOException {
    final Matcher other =
        OTHER_MEMORY.matcher(
            Programs.output(
                List.of("jcmd", Long.toString(weir.pid()), "VM.native_memory", "scale=KB")));
    return other.find() ? text(Double.parseDouble(other.group(1)) / 1024) : "-";
  }

  private static String text(double number) {
    return String.format(Locale.ROOT, "%,.1f", number);
  }

  private void ask(int streams) throws IOException {
    clients.add(FrameSocket.connect(weir.port()));
    request(clients.get(clients.size() - 1), streams);
  }

  private static void request(FrameSocket client, int streams) throws IOException {
    final byte[] block = Blocks.request("GET", "/=h", "user-agent", "proof", "accept", "*/*");
    for (int i = 0; i < streams; i++) {
      client.headers(2 * i + 1, true, block);
    }
    client.number(FrameType.WINDOW_UPDATE, 0, 1 << 20);
    client.flush();
  }

  /**
   * Waits until a metric is as it should be.
   *
   * @throws IOException if it is not within a minute.
   */
  static void await(SidecarProcess weir, String metric, DoublePredicate wanted) throws IOException {
    final long startNs = System.nanoTime();
    while (!wanted.test(weir.metric(metric))) {
      if (System.nanoTime() - startNs > TimeUnit.MINUTES.toNanos(1)) {
        throw new IOException(metric + ": " + weir.metric(metric) + " after a minute");
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
  }
}
