package dev.weir.bench.http2;

import dev.weir.bench.process.Programs;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.FrameFlag;
import dev.weir.proxy.http2.FrameType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A million streams of ten kinds, passed, refused, cut by either side and malformed, while Netty
 * follows every buffer; at the end none may have been lost, and no stream may be open. Run with
 * {@code WEIR_JAVA_OPTS=-Dio.netty.leakDetection.level=paranoid}.
 */
final class LeakRun implements Proof {
  private static final int BATCH = 50;
  private static final int STREAMS_OF_CONNECTION = 5_000;

  private static final byte[] PASSED = Blocks.request("GET", "/a");
  private static final byte[] REFUSED = Blocks.request("GET", "/refused");
  private static final byte[] GRPC =
      Blocks.request("POST", "/refused", "content-type", "application/grpc");
  private static final byte[] ECHO = Blocks.request("POST", "/=e");
  private static final byte[] SILENT = Blocks.request("POST", "/=h");
  private static final byte[] LONG = Blocks.request("GET", "/=l");
  private static final byte[] UNEQUAL = Blocks.request("POST", "/=e", "content-length", "9");
  private static final byte[] CONTENT = new byte[5_000];

  private final int streams;

  LeakRun(int streams) {
    this.streams = streams;
  }

  @Override
  public void run(Path folder, ProofReport report) throws IOException {
    ProofReport.require(
        System.getenv().getOrDefault("WEIR_JAVA_OPTS", "").contains("leakDetection.level=paranoid"),
        "WEIR_JAVA_OPTS does not say -Dio.netty.leakDetection.level=paranoid");
    try (Http2Service service = new Http2Service();
        Sidecar weir = new Sidecar(folder, settings(service))) {
      int opened = 0;
      int connections = 0;
      while (opened < streams) {
        try (FrameSocket client = weir.connect()) {
          connections++;
          opened += use(client, Math.min(STREAMS_OF_CONNECTION, streams - opened), connections);
        }
      }
      ProofReport.require(weir.awaitAtMost("weir_http2_streams_open", 0), "streams stay open");
      ProofReport.require(
          weir.awaitAtMost("weir_upstream_http2_streams_open", 0), "the service's stay open");
      for (int i = 0; i < 3; i++) { // what was lost is found when it is collected, and looked for
        Programs.output(List.of("jcmd", Long.toString(weir.pid()), "GC.run"));
        Pause.ms(500);
        try (FrameSocket client = weir.connect()) {
          use(client, 2 * BATCH, 1);
        }
      }
      final String log = weir.log();
      report.table("streams", "connections", "to the service", "leaks");
      report.row(opened, connections, service.requests(), count(log, "LEAK"));
      ProofReport.require(!log.contains("LEAK"), log);
      ProofReport.require(!log.contains("ERROR"), log);
    }
  }

  private static int count(String text, String word) {
    return (text.length() - text.replace(word, "").length()) / word.length();
  }

  private static String settings(Http2Service service) {
    return "upstream: h2c://127.0.0.1:"
        + service.port()
        + "\nevent-loops: 1\nrules:\n"
        + "  - {id: refused, match: {path: /refused}, key: ip, limit: 1/365d}\n"
        + "  - {id: all, key: ip, limit: 1000000/1s}\n";
  }

  /** Opens streams, some at once; how many were. Every other connection is left in the middle. */
  private static int use(FrameSocket client, int most, int number) throws IOException {
    int opened = 0;
    client.number(FrameType.WINDOW_UPDATE, 0, 1 << 30);
    try {
      while (opened < most) {
        int ends = 0;
        for (int i = 0; i < BATCH && opened < most; i++, opened++) {
          ends += open(client, 2 * opened + 1, i % 10) ? 1 : 0;
        }
        client.frame(FrameType.PING, 0, 0, new byte[Long.BYTES]);
        client.flush();
        if (number % 2 == 0 && opened >= most) {
          return opened;
        }
        awaitEnds(client, ends);
        Pause.ms(number % 4 == 0 ? 1 : 0);
      }
    } catch (IOException ended) {
      return Math.max(1, opened); // the faults have used up what a connection may have
    }
    return opened;
  }

  /** Opens a stream of one of ten kinds; whether its end is told. */
  private static boolean open(FrameSocket client, int id, int kind) throws IOException {
    switch (kind) {
      case 0, 1 -> client.headers(id, true, PASSED);
      case 2 -> client.headers(id, true, REFUSED);
      case 3 -> client.headers(id, false, GRPC);
      case 4, 5 -> {
        client.headers(id, false, ECHO);
        client.data(id, true, CONTENT);
      }
      case 6 -> {
        client.headers(id, false, SILENT);
        client.data(id, false, CONTENT);
        client.number(FrameType.RST_STREAM, id, ErrorCode.CANCEL);
      }
      case 7 -> client.headers(id, true, LONG);
      case 8 -> {
        client.headers(id, true, LONG);
        client.number(FrameType.RST_STREAM, id, ErrorCode.CANCEL);
      }
      default -> {
        client.headers(id, false, id % 20 == 19 ? UNEQUAL : ECHO);
        client.data(id, true, CONTENT);
      }
    }
    return kind != 6 && kind != 8;
  }

  private static void awaitEnds(FrameSocket client, int ends) throws IOException {
    int left = ends;
    while (left > 0) {
      final FrameSocket.Frame frame = client.read();
      final boolean isEnd =
          frame.type() == FrameType.DATA || frame.type() == FrameType.HEADERS
              ? frame.has(FrameFlag.END_STREAM)
              : frame.type() == FrameType.RST_STREAM && frame.number() == ErrorCode.PROTOCOL_ERROR;
      left -= isEnd ? 1 : 0;
    }
  }
}
