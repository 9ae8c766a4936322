package dev.weir.proxy;

import dev.weir.proxy.http2.hpack.HpackEncoder;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;

/** A client of HTTP/2 on a socket, a frame at a time. */
final class FrameClient implements AutoCloseable {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int END_STREAM = 1;
  private static final int ACK = 1;
  private static final int END_HEADERS = 4;
  private static final int CANCEL = 8;
  private static final int PATIENCE_MS = 60_000;

  /** The field {@code :status: 200} of the static table. */
  private static final byte INDEXED_200 = (byte) 0x88;

  private final Socket socket = new Socket();
  private final DataInputStream in;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final DataOutputStream out = new DataOutputStream(written);

  FrameClient(SocketAddress address) throws IOException {
    socket.connect((InetSocketAddress) address);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MS);
    in = new DataInputStream(socket.getInputStream());
    out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    frame(SETTINGS, 0, 0);
    frame(SETTINGS, ACK, 0);
  }

  private void frame(int type, int flags, int streamId, byte... payload) throws IOException {
    out.writeByte(payload.length >>> 16);
    out.writeShort(payload.length);
    out.writeByte(type);
    out.writeByte(flags);
    out.writeInt(streamId);
    out.write(payload);
  }

  /** A request's head, with one field. */
  FrameClient request(int streamId, boolean ends, String method, String name, String value)
      throws IOException {
    byte[] block =
        new HpackEncoder()
            .add(":method", method)
            .add(":scheme", "http")
            .add(":path", "/")
            .add(":authority", "a")
            .add(name, value)
            .bytes();
    frame(HEADERS, END_HEADERS | (ends ? END_STREAM : 0), streamId, block);
    return this;
  }

  FrameClient data(int streamId, boolean ends, String content) throws IOException {
    frame(DATA, ends ? END_STREAM : 0, streamId, content.getBytes(StandardCharsets.US_ASCII));
    return this;
  }

  FrameClient reset(int streamId) throws IOException {
    frame(RST_STREAM, 0, streamId, (byte) 0, (byte) 0, (byte) 0, (byte) CANCEL);
    return this;
  }

  /** Sends what was written. */
  FrameClient send() throws IOException {
    socket.getOutputStream().write(written.toByteArray());
    written.reset();
    return this;
  }

  /**
   * The next frame that is about a stream, or about the end: its type, the stream, the status of a
   * head or the content, and {@code end} if it ends the stream; {@code closed} behind the last.
   */
  String read() throws IOException {
    while (true) {
      int bytes;
      try {
        bytes = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      } catch (EOFException closed) {
        return "closed";
      }
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int streamId = in.readInt();
      byte[] payload = in.readNBytes(bytes);
      String end = (flags & END_STREAM) != 0 ? " end" : "";
      switch (type) {
        case DATA -> {
          return "DATA " + streamId + " " + new String(payload, StandardCharsets.US_ASCII) + end;
        }
        case HEADERS -> {
          return "HEADERS " + streamId + " " + status(payload) + end;
        }
        case RST_STREAM -> {
          return "RST_STREAM " + streamId + " " + payload[3];
        }
        case GOAWAY -> {
          return "GOAWAY";
        }
        case PING -> {
          if ((flags & ACK) == 0) {
            frame(PING, ACK, 0, payload);
            send();
          }
        }
        default -> {
          // Settings and windows.
        }
      }
    }
  }

  private static String status(byte[] block) {
    return block[0] == INDEXED_200 ? "200" : new String(block, 2, 3, StandardCharsets.US_ASCII);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
