package dev.weir.bench.http2;

import dev.weir.proxy.http2.FrameType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a sidecar takes for 1,000 connections of 100 streams each, all open at once: their requests
 * wait for a service that answers none.
 */
final class OpenStreams implements Proof {
  private static final int CONNECTIONS = 1_000;
  private static final int STREAMS = 100;

  /** What a stream may take, with its request and the head that waits to be sent on. */
  private static final double MAX_STREAM_KIB = 4;

  private static final double MAX_CONNECTION_KIB = 32;

  private final List<FrameSocket> clients = new ArrayList<>();

  @Override
  public void run(Path folder, ProofReport report) throws IOException {
    try (Http2Service service = new Http2Service();
        Sidecar weir = new Sidecar(folder, settings(service))) {
      ask(weir, 1); // classes are loaded, and the connection to the service is made
      ask(weir, 1);
      final double nothing = weir.residentMib();
      final double nothingDirect = weir.directMib();
      while (clients.size() < CONNECTIONS + 2) {
        clients.add(weir.connect());
        clients.get(clients.size() - 1).flush();
      }
      awaitFigure(weir, "weir_http2_connections_open", CONNECTIONS + 2);
      final double connected = weir.residentMib();
      final double connectedDirect = weir.directMib();
      for (FrameSocket client : clients.subList(2, clients.size())) {
        request(client, STREAMS);
      }
      awaitFigure(weir, "weir_http2_streams_open", (double) CONNECTIONS * STREAMS + 2);
      final double open = weir.residentMib();
      final double openDirect = weir.directMib();
      for (FrameSocket client : clients) {
        client.close();
      }
      ProofReport.require(weir.awaitAtMost("weir_http2_streams_open", 0), "streams stay open");
      final double connectionKib = (connected - nothing) * 1024 / CONNECTIONS;
      final double streamKib = (open - connected) * 1024 / CONNECTIONS / STREAMS;
      report.table("", "resident MiB", "each, KiB", "of it buffers beside the heap, MiB");
      report.row("before", nothing, "", nothingDirect);
      report.row(CONNECTIONS + " connections", connected, connectionKib, connectedDirect);
      report.row(CONNECTIONS * STREAMS + " streams", open, streamKib, openDirect);
      report.row("all closed", weir.residentMib(), "", weir.directMib());
      ProofReport.require(connectionKib < MAX_CONNECTION_KIB, connectionKib + " KiB a connection");
      ProofReport.require(streamKib < MAX_STREAM_KIB, streamKib + " KiB a stream");
    }
  }

  /** They all may wait for a place at the service. */
  private static String settings(Http2Service service) {
    return "upstream: h2c://127.0.0.1:"
        + service.port()
        + "\nevent-loops: 2\ncaps: {upstream-queue: 65535, connections-per-address: 5000}\n"
        + "timeouts: {upstream-queue: 10m, response: 10m, idle: 10m}\n"
        + "rules:\n  - {id: all, key: ip, limit: 1000000/1s}\n";
  }

  private void ask(Sidecar weir, int streams) throws IOException {
    clients.add(weir.connect());
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

  private static void awaitFigure(Sidecar weir, String name, double wanted) throws IOException {
    ProofReport.require(weir.await(name, value -> value >= wanted), name + " is below " + wanted);
  }
}
