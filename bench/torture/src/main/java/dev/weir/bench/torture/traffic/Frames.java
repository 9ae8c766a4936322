package dev.weir.bench.torture.traffic;

import dev.weir.bench.torture.plan.Condition;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * What a client of HTTP/2 sends, frame by frame, well or badly formed: preface, settings, and heads
 * whose fields are all literal.
 */
final class Frames {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int INITIAL_WINDOW_SIZE = 4;
  private static final int CANCEL = 8;
  private static final int SHORT_TEXT = 127;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final DataOutputStream out = new DataOutputStream(bytes);
  private ByteArrayOutputStream block;
  private int stream;
  private int flags;

  /**
   * @param window of each stream, towards the client.
   */
  Frames(int window) {
    bytes.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    raw(
        SETTINGS,
        0,
        0,
        new byte[] {
          0,
          INITIAL_WINDOW_SIZE,
          (byte) (window >>> 24),
          (byte) (window >>> 16),
          (byte) (window >>> 8),
          (byte) window
        });
  }

  /** Behind what a connection began with. */
  Frames() {}

  /** Any frame. */
  Frames raw(int type, int flags, int stream, byte[] payload) {
    try {
      out.writeInt(payload.length << 8 | type);
      out.writeByte(flags);
      out.writeInt(stream);
      out.write(payload);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e); // not in memory
    }
  }

  /** Begins a head, which {@link #end} ends. */
  Frames head(int stream, boolean last, String method, String path) {
    this.stream = stream;
    flags = END_HEADERS | (last ? END_STREAM : 0);
    block = new ByteArrayOutputStream();
    return field(":method", method)
        .field(":scheme", "http")
        .field(":path", path)
        .field(":authority", Condition.REQUESTED_HOST);
  }

  Frames field(String name, String value) {
    block.write(0); // literal, not indexed, with its name
    text(name);
    text(value);
    return this;
  }

  private void text(String text) {
    if (text.length() >= SHORT_TEXT) {
      throw new IllegalArgumentException(text + " (expected: shorter)");
    }
    block.write(text.length());
    block.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  Frames end() {
    return raw(HEADERS, flags, stream, block.toByteArray());
  }

  Frames data(int stream, boolean last, byte[] content) {
    return raw(DATA, last ? END_STREAM : 0, stream, content);
  }

  Frames reset(int stream) {
    return raw(RST_STREAM, 0, stream, new byte[] {0, 0, 0, CANCEL});
  }

  byte[] bytes() {
    return bytes.toByteArray();
  }
}
