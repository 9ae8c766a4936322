package dev.weir.bench.http2;

import dev.weir.bench.http2.FrameSocket.Blocks;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.FrameFlag;
import dev.weir.proxy.http2.FrameType;
import dev.weir.proxy.http2.Setting;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import java.io.IOException;
import java.util.List;

/**
 * The rows of abuse, each with the honest client that is most like it, and that must not be taken
 * for one.
 */
final class Attacks {
  /**
   * One row.
   *
   * @param name of what an attacker does; with {@code honest} of what its twin does.
   * @param paced whether it pauses after each step, as clients do that wait for something.
   * @param clients on how many connections it does so at once.
   */
  record Row(String name, boolean honest, boolean paced, int clients, Attack attack) {}

  /** Steps of what one client does on one connection. */
  interface Attack {
    /**
     * Writes one of them.
     *
     * @param step the number of those before it on this connection.
     */
    void write(FrameSocket client, int step) throws IOException;
  }

  private static final int AT_ONCE = 50;

  /** Pairs of unknown settings, which a peer ignores. */
  private static final int[] LONG_SETTINGS = new int[2 * 40];

  private static final int PRIORITY_UPDATE = 0x10;

  /** Connections with 1,000 calls a second on each. */
  private static final int CALLING_CLIENTS = 20;

  private static final int CALLS_OF_STEP = 10;

  /** Steps of 10 ms until a call's deadline. */
  private static final int STEPS_OF_CALL = 5;

  private static final byte[] CALL =
      Blocks.request("POST", "/=h", "content-type", "application/grpc", "grpc-timeout", "50m");
  private static final byte[] PASSED = Blocks.request("GET", "/a");
  private static final byte[] SILENT = Blocks.request("GET", "/=h");
  private static final byte[] ECHO = Blocks.request("POST", "/=e");
  private static final byte[] LONG = Blocks.request("GET", "/=l");
  private static final byte[] PING = new byte[Long.BYTES];

  private Attacks() {}

  static List<Row> all() {
    return List.of(
        attacker("streams opened and reset", Attacks::rapidReset),
        honest("calls reset at their deadline of 1 s", Attacks::deadlines),
        new Row(
            "20,000 calls/s reset at their deadline of 50 ms",
            true,
            true,
            CALLING_CLIENTS,
            Attacks::calls),
        attacker("WINDOW_UPDATE of 0 on open streams", Attacks::madeReset),
        attacker("CONTINUATION without end", Attacks::continuation),
        paced("a head of a CONTINUATION each 0.5 s", Attacks::trickle),
        honest("heads in two pieces, 50 ms apart", Attacks::piecesOfHeads),
        attacker("empty CONTINUATION", Attacks::emptyContinuation),
        attacker("blocks of 4,000 fields of 2 bytes", Attacks::manyFields),
        honest("heads of 60 fields", Attacks::largeHeads),
        attacker("PING", (client, step) -> client.frame(FrameType.PING, 0, 0, PING)),
        honest("PING behind each call", Attacks::pingsWithCalls),
        attacker("SETTINGS", (client, step) -> client.settings()),
        attacker("SETTINGS of 40 entries", Attacks::longSettings),
        honest("SETTINGS of 6 entries each second", Attacks::seldomSettings),
        attacker("SETTINGS that change the window", Attacks::windowChanges),
        attacker("empty DATA", Attacks::emptyData),
        attacker("DATA of a byte, with padding of 255", Attacks::paddedData),
        attacker("DATA of 5 bytes", Attacks::manyMessages),
        honest("messages of 1 byte", Attacks::smallMessages),
        attacker("PRIORITY", Attacks::priority),
        attacker("PRIORITY_UPDATE", Attacks::priorityUpdate),
        honest("PRIORITY_UPDATE behind each request", Attacks::prioritisedRequests),
        attacker("unknown frames", (client, step) -> client.frame(0xfa, 0, 0, PING)),
        attacker("WINDOW_UPDATE of 1", Attacks::smallWindows),
        attacker("answers that wait for a window of 0", Attacks::zeroWindow),
        honest("100 streams closed at once", Attacks::hundredTabs));
  }

  private static Row attacker(String name, Attack attack) {
    return new Row(name, false, false, 1, attack);
  }

  /** An attacker who takes his time. */
  private static Row paced(String name, Attack attack) {
    return new Row(name, false, true, 1, attack);
  }

  private static Row honest(String name, Attack attack) {
    return new Row(name, true, true, 1, attack);
  }

  private static void rapidReset(FrameSocket client, int step) throws IOException {
    for (int i = 0; i < AT_ONCE; i++) {
      final int id = 2 * (step * AT_ONCE + i) + 1;
      client.headers(id, true, SILENT);
      client.number(FrameType.RST_STREAM, id, ErrorCode.CANCEL);
    }
  }

  /** Opens streams, and resets those that were opened 100 steps, or a second, ago. */
  private static void deadlines(FrameSocket client, int step) throws IOException {
    if (step >= 100) {
      client.number(FrameType.RST_STREAM, 2 * (step - 100) + 1, ErrorCode.CANCEL);
    }
    client.headers(2 * step + 1, true, SILENT);
  }

  private static void calls(FrameSocket client, int step) throws IOException {
    for (int i = 0; i < CALLS_OF_STEP; i++) {
      if (step >= STEPS_OF_CALL) {
        final int late = 2 * ((step - STEPS_OF_CALL) * CALLS_OF_STEP + i) + 1;
        client.number(FrameType.RST_STREAM, late, ErrorCode.CANCEL);
      }
      client.headers(2 * (step * CALLS_OF_STEP + i) + 1, true, CALL);
    }
  }

  private static void madeReset(FrameSocket client, int step) throws IOException {
    for (int i = 0; i < AT_ONCE; i++) {
      final int id = 2 * (step * AT_ONCE + i) + 1;
      client.headers(id, true, SILENT);
      client.number(FrameType.WINDOW_UPDATE, id, 0);
    }
  }

  private static void continuation(FrameSocket client, int step) throws IOException {
    if (step == 0) {
      client.frame(FrameType.HEADERS, 0, 1, PASSED);
    }
    client.frame(FrameType.CONTINUATION, 0, 1, new HpackEncoder().add("a", "b").bytes());
  }

  private static void trickle(FrameSocket client, int step) throws IOException {
    if (step == 0) {
      client.frame(FrameType.HEADERS, 0, 1, PASSED);
    } else if (step % 50 == 0) {
      client.frame(FrameType.CONTINUATION, 0, 1, new HpackEncoder().add("a", "b").bytes());
    }
  }

  private static void piecesOfHeads(FrameSocket client, int step) throws IOException {
    final int id = 2 * (step / 10) + 1;
    if (step % 10 == 0) {
      client.frame(FrameType.HEADERS, FrameFlag.END_STREAM, id, PASSED);
    } else if (step % 10 == 5) {
      client.frame(
          FrameType.CONTINUATION,
          FrameFlag.END_HEADERS,
          id,
          new HpackEncoder().add("a", "b").bytes());
    }
  }

  private static void emptyContinuation(FrameSocket client, int step) throws IOException {
    final int id = 2 * step + 1;
    client.frame(FrameType.HEADERS, FrameFlag.END_STREAM, id, PASSED);
    for (int i = 0; i < 6; i++) {
      client.frame(FrameType.CONTINUATION, 0, id);
    }
    client.frame(FrameType.CONTINUATION, FrameFlag.END_HEADERS, id);
  }

  private static void manyFields(FrameSocket client, int step) throws IOException {
    final HpackEncoder fields = new HpackEncoder();
    for (int i = 0; i < 4_000; i++) {
      fields.add("a", "");
    }
    final byte[] block = new byte[PASSED.length + fields.bytes().length];
    System.arraycopy(PASSED, 0, block, 0, PASSED.length);
    System.arraycopy(fields.bytes(), 0, block, PASSED.length, fields.bytes().length);
    client.headers(2 * step + 1, true, block);
  }

  private static void largeHeads(FrameSocket client, int step) throws IOException {
    final String[] fields = new String[120];
    for (int i = 0; i < fields.length; i += 2) {
      fields[i] = "x-field-" + i;
      fields[i + 1] = "a value of some length, as browsers and proxies send them";
    }
    client.headers(2 * step + 1, true, Blocks.request("GET", "/a", fields));
  }

  private static void pingsWithCalls(FrameSocket client, int step) throws IOException {
    client.headers(2 * step + 1, true, LONG);
    client.frame(FrameType.PING, 0, 0, PING);
    client.number(FrameType.WINDOW_UPDATE, 0, Http2Service.LONG_BYTES);
  }

  private static void longSettings(FrameSocket client, int step) throws IOException {
    client.settings(LONG_SETTINGS);
  }

  private static void seldomSettings(FrameSocket client, int step) throws IOException {
    if (step % 100 == 50) {
      client.settings(
          Setting.HEADER_TABLE_SIZE,
          4096,
          Setting.ENABLE_PUSH,
          0,
          Setting.MAX_CONCURRENT_STREAMS,
          100,
          Setting.INITIAL_WINDOW_SIZE,
          65_535,
          Setting.MAX_FRAME_SIZE,
          16_384,
          Setting.MAX_HEADER_LIST_SIZE,
          32_768);
    }
  }

  private static void windowChanges(FrameSocket client, int step) throws IOException {
    client.settings(Setting.INITIAL_WINDOW_SIZE, 1_000 + step % 2);
  }

  private static void emptyData(FrameSocket client, int step) throws IOException {
    if (step == 0) {
      client.headers(1, false, ECHO);
    }
    client.data(1, false);
  }

  private static void paddedData(FrameSocket client, int step) throws IOException {
    if (step == 0) {
      client.headers(1, false, ECHO);
    }
    final byte[] payload = new byte[1 + 1 + 255];
    payload[0] = (byte) 255;
    client.frame(FrameType.DATA, FrameFlag.PADDED, 1, payload);
  }

  /** A stream for 10,000 bytes: less than its window. */
  private static void manyMessages(FrameSocket client, int step) throws IOException {
    final int id = 2 * (step / 40) + 1;
    if (step % 40 == 0) {
      client.headers(id, false, ECHO);
    }
    for (int i = 1; i <= AT_ONCE; i++) {
      client.data(id, step % 40 == 39 && i == AT_ONCE, new byte[5]);
    }
  }

  private static void smallMessages(FrameSocket client, int step) throws IOException {
    if (step == 0) {
      client.headers(1, false, ECHO);
    }
    client.data(1, false, new byte[] {0, 0, 0, 0, 1, 'x'});
  }

  private static void priority(FrameSocket client, int step) throws IOException {
    client.frame(FrameType.PRIORITY, 0, 1, new byte[] {0, 0, 0, 3, 0});
  }

  private static void priorityUpdate(FrameSocket client, int step) throws IOException {
    client.frame(PRIORITY_UPDATE, 0, 0, priorityOf(1));
  }

  private static void prioritisedRequests(FrameSocket client, int step) throws IOException {
    client.headers(2 * step + 1, true, PASSED);
    client.frame(PRIORITY_UPDATE, 0, 0, priorityOf(2 * step + 1));
  }

  private static byte[] priorityOf(int streamId) {
    return new byte[] {
      (byte) (streamId >>> 24),
      (byte) (streamId >>> 16),
      (byte) (streamId >>> 8),
      (byte) streamId,
      'u',
      '=',
      '1'
    };
  }

  private static void smallWindows(FrameSocket client, int step) throws IOException {
    client.number(FrameType.WINDOW_UPDATE, 0, 1);
  }

  private static void zeroWindow(FrameSocket client, int step) throws IOException {
    if (step == 0) {
      client.settings(Setting.INITIAL_WINDOW_SIZE, 0);
    }
    for (int i = 0; i < AT_ONCE; i++) {
      client.headers(2 * (step * AT_ONCE + i) + 1, true, LONG);
    }
  }

  private static void hundredTabs(FrameSocket client, int step) throws IOException {
    for (int i = 0; i < 100 && step % 100 == 0; i++) {
      client.headers(step * 2 + 2 * i + 1, true, SILENT);
    }
    for (int i = 0; i < 100 && step % 100 == 99; i++) {
      client.number(FrameType.RST_STREAM, (step - 99) * 2 + 2 * i + 1, ErrorCode.CANCEL);
    }
  }
}
