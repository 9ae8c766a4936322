package dev.weir.proxy.demo;

import dev.weir.proxy.http2.FrameFlag;
import dev.weir.proxy.http2.FrameType;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.hpack.FieldDecoder;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** One call of gRPC, by hand: a connection of HTTP/2, a head, an empty message, and the answer. */
public final class DemoCall {
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  private static final int STREAM = 1;
  private static final byte[] EMPTY_MESSAGE = new byte[5];
  private static final int MAX_FIELDS = 100;
  private static final int MAX_BYTES = 32 * 1024;

  private final FieldDecoder decoder = new FieldDecoder();
  private final FieldBlock fields = new FieldBlock(MAX_BYTES, MAX_FIELDS, MAX_BYTES);
  private final StringBuilder answer = new StringBuilder();

  private DemoCall() {}

  /**
   * Calls a method.
   *
   * @param path such as {@code /package.Service/Method}.
   * @return the fields of the answer, a line each: those of its head, and of its trailers.
   */
  static String call(InetSocketAddress to, int timeoutMs, String path, String user)
      throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(to, timeoutMs);
      socket.setSoTimeout(timeoutMs);
      socket.getOutputStream().write(request(path, user));
      return new DemoCall().read(new DataInputStream(socket.getInputStream()));
    }
  }

  private static byte[] request(String path, String user) {
    byte[] head =
        new HpackEncoder()
            .add(":method", "POST")
            .add(":scheme", "http")
            .add(":path", path)
            .add(":authority", "localhost")
            .add("content-type", "application/grpc")
            .add("te", "trailers")
            .add("x-user-id", user)
            .bytes();
    ByteBuf out = Unpooled.buffer();
    out.writeBytes(PREFACE.getBytes(StandardCharsets.US_ASCII));
    frame(out, FrameType.SETTINGS, 0, 0, new byte[0]);
    frame(out, FrameType.HEADERS, FrameFlag.END_HEADERS, STREAM, head);
    frame(out, FrameType.DATA, FrameFlag.END_STREAM, STREAM, EMPTY_MESSAGE);
    byte[] bytes = new byte[out.readableBytes()];
    out.readBytes(bytes);
    return bytes;
  }

  private static void frame(ByteBuf out, int type, int flags, int stream, byte[] payload) {
    out.writeMedium(payload.length).writeByte(type).writeByte(flags).writeInt(stream);
    out.writeBytes(payload);
  }

  /** Reads frames until the stream ends. A sidecar sends each head in one of them, unpadded. */
  private String read(DataInputStream in) throws IOException {
    while (true) {
      int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int stream = in.readInt();
      byte[] payload = in.readNBytes(length);
      if (stream == STREAM && type == FrameType.HEADERS) {
        add(payload);
      }
      boolean ends = type == FrameType.HEADERS || type == FrameType.DATA;
      if (type == FrameType.RST_STREAM || ends && (flags & FrameFlag.END_STREAM) != 0) {
        return answer.toString();
      }
    }
  }

  private void add(byte[] block) throws IOException {
    ByteBuf bytes = Unpooled.directBuffer(block.length).writeBytes(block);
    try {
      if (decoder.decode(bytes, 0, block.length, fields) != FieldDecoder.Outcome.DECODED) {
        throw new IOException("fields that cannot be decoded");
      }
    } finally {
      bytes.release();
    }
    for (int i = 0; i < fields.count(); i++) {
      answer.append(fields.text(fields.nameOffset(i), fields.nameLength(i)));
      answer.append(": ").append(fields.text(fields.valueOffset(i), fields.valueLength(i)));
      answer.append('\n');
    }
  }
}
