package dev.weir.bench.http2;

import dev.weir.proxy.http2.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What clients that never read can have a sidecar hold: a million refused calls, content that
 * nobody takes (H), and answers that wait (L). Its memory is looked at all the while.
 */
final class UnreadAnswers implements Proof {
  private static final int CALLS = 1_000_000;
  private static final int CALLS_AT_ONCE = 500;
  private static final int CLIENTS = 50;
  private static final int UPLOADS = 200;
  private static final int ANSWERS = 40;
  private static final int STREAMS = 100;
  private static final byte[] PIECE = new byte[15_000];
  private static final byte[] REFUSED = Blocks.request("GET", "/refused");

  /** Its refusal is a head alone, which no window holds up. */
  private static final byte[] REFUSED_CALL =
      Blocks.request("POST", "/refused", "content-type", "application/grpc");

  private static final byte[] UPLOAD = Blocks.request("POST", "/=h");
  private static final byte[] LONG = Blocks.request("GET", "/=l");

  private double mostMib;

  @Override
  public void run(Path folder, ProofReport report) throws IOException {
    report.table("never read", "sent", "resident MiB before", "at most", "stated bound");
    try (Http2Service service = new Http2Service();
        Sidecar weir = new Sidecar(folder, settings(service))) {
      refused(weir, 20_000); // memory that stays, of classes and of the allocator
      double before = start(weir);
      final int connections = refused(weir, CALLS);
      // Each may have a read, a full output and what is counted as a stream.
      row(report, CALLS + " refused calls on " + connections + " connections", "", before, 100);
      before = start(weir);
      uploads(weir);
      row(report, "content on " + UPLOADS + " connections", mib(UPLOADS * STREAMS), before, 200);
      before = start(weir);
      answers(weir);
      row(report, "answers on " + ANSWERS + " connections", mib(ANSWERS * STREAMS), before, 200);
    }
  }

  private static String settings(Http2Service service) {
    return "upstream: h2c://127.0.0.1:"
        + service.port()
        + "\nevent-loops: 1\ncaps: {connections-per-address: 5000, upstream-queue: 65535}\n"
        + "timeouts: {upstream-queue: 60s}\nrules:\n"
        + "  - {id: refused, match: {path: /refused}, key: ip, limit: 1/365d}\n"
        + "  - {id: all, key: ip, limit: 1000000/1s}\n";
  }

  private static String mib(int answers) {
    return String.format("%,d MiB", (long) answers * Http2Service.LONG_BYTES >> 20);
  }

  private double start(Sidecar weir) throws IOException {
    ProofReport.require(weir.awaitAtMost("weir_http2_streams_open", 0), "streams stay open");
    mostMib = weir.residentMib();
    return mostMib;
  }

  private void look(Sidecar weir) {
    mostMib = Math.max(mostMib, weir.residentMib());
  }

  private void row(ProofReport report, String what, String sent, double before, double boundMib)
      throws IOException {
    report.row(what, sent, before, mostMib, "+" + (int) boundMib + " MiB");
    ProofReport.require(
        mostMib - before < boundMib, what + ": " + (mostMib - before) + " MiB more");
  }

  /** Sends calls until the sidecar ends the connection, and goes on with another. */
  private int refused(Sidecar weir, int calls) throws IOException {
    final List<FrameSocket> clients = new ArrayList<>();
    final int[] nextIds = new int[CLIENTS];
    int connections = 0;
    int sent = 0;
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(null);
    }
    while (sent < calls) {
      for (int i = 0; i < CLIENTS; i++) {
        try {
          if (clients.get(i) == null) {
            connections++;
            nextIds[i] = 1;
            clients.set(i, weir.connect(Setting.INITIAL_WINDOW_SIZE, 0));
          }
          for (int call = 0; call < CALLS_AT_ONCE; call++, nextIds[i] += 2) {
            clients.get(i).headers(nextIds[i], true, i % 2 == 0 ? REFUSED : REFUSED_CALL);
          }
          clients.get(i).flush();
          sent += CALLS_AT_ONCE;
        } catch (IOException ended) {
          clients.get(i).close();
          clients.set(i, null);
        }
      }
      look(weir);
    }
    for (FrameSocket client : clients) {
      if (client != null) {
        client.close();
      }
    }
    return connections;
  }

  /** Sends as much as the windows of all streams allow, to a service that takes none of it. */
  private void uploads(Sidecar weir) throws IOException {
    final List<FrameSocket> clients = new ArrayList<>();
    for (int i = 0; i < UPLOADS; i++) {
      final FrameSocket client = weir.connect();
      clients.add(client);
      final Thread sending = new Thread(() -> upload(client), "upload");
      sending.setDaemon(true);
      sending.start();
      look(weir);
    }
    rest(weir, clients);
  }

  private static void upload(FrameSocket client) {
    try {
      for (int stream = 0; stream < STREAMS; stream++) {
        client.headers(2 * stream + 1, false, UPLOAD);
        for (int piece = 0; piece < 4; piece++) {
          client.data(2 * stream + 1, false, PIECE);
        }
      }
      client.flush();
    } catch (IOException ended) {
      // It holds too much, and is ended.
    }
  }

  private void answers(Sidecar weir) throws IOException {
    final List<FrameSocket> clients = new ArrayList<>();
    for (int i = 0; i < ANSWERS; i++) {
      final FrameSocket client = weir.connect(Setting.INITIAL_WINDOW_SIZE, 0);
      clients.add(client);
      for (int stream = 0; stream < STREAMS; stream++) {
        client.headers(2 * stream + 1, true, LONG);
      }
      client.flush();
      look(weir);
    }
    rest(weir, clients);
  }

  /** Looks on for a while, and ends. */
  private void rest(Sidecar weir, List<FrameSocket> clients) throws IOException {
    for (int i = 0; i < 100; i++) {
      look(weir);
      Pause.ms(50);
    }
    for (FrameSocket client : clients) {
      client.close();
    }
  }
}
