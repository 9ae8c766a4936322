package dev.weir.bench.http2;

import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.FrameFlag;
import dev.weir.proxy.http2.FrameType;
import dev.weir.proxy.http2.HpackEncoder;
import dev.weir.proxy.http2.Setting;
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
   */
  record Row(String name, boolean honest, boolean paced, Attack attack) {}

  private static final int AT_ONCE = 50;
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
        attacker("WINDOW_UPDATE of 0 on open streams", Attacks::madeReset),
        attacker("CONTINUATION without end", Attacks::continuation),
        attacker("empty CONTINUATION", Attacks::emptyContinuation),
        attacker("blocks of 4,000 fields of 2 bytes", Attacks::manyFields),
        honest("heads of 60 fields", Attacks::largeHeads),
        attacker("PING", (client, step) -> client.frame(FrameType.PING, 0, 0, PING)),
        honest("PING behind each call", Attacks::pingsWithCalls),
        attacker("SETTINGS", (client, step) -> client.settings()),
        attacker("SETTINGS that change the window", Attacks::windowChanges),
        attacker("empty DATA", Attacks::emptyData),
        attacker("DATA of a byte, with padding of 255", Attacks::paddedData),
        honest("messages of 1 byte", Attacks::smallMessages),
        attacker("PRIORITY", Attacks::priority),
        attacker("unknown frames", (client, step) -> client.frame(0xfa, 0, 0, PING)),
        attacker("WINDOW_UPDATE of 1", Attacks::smallWindows),
        attacker("answers that wait for a window of 0", Attacks::zeroWindow),
        honest("100 streams closed at once", Attacks::hundredTabs));
  }

  private static Row attacker(String name, Attack attack) {
    return new Row(name, false, false, attack);
  }

  private static Row honest(String name, Attack attack) {
    return new Row(name, true, true, attack);
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

  private static void smallMessages(FrameSocket client, int step) throws IOException {
    if (step == 0) {
      client.headers(1, false, ECHO);
    }
    client.data(1, false, new byte[] {0, 0, 0, 0, 1, 'x'});
  }

  private static void priority(FrameSocket client, int step) throws IOException {
    client.frame(FrameType.PRIORITY, 0, 1, new byte[] {0, 0, 0, 3, 0});
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
