package dev.weir.proxy.http2;

import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.hpack.FieldDecoder;
import dev.weir.proxy.http2.hpack.FieldEncoder;
import dev.weir.proxy.http2.hpack.Fields;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The other side of a connection of HTTP/2, on an {@link EmbeddedChannel} or a socket, a frame at a
 * time: writes any, right or wrong, and tells those that it gets as text. What is written goes to
 * the connection with {@link #send}, as one read or byte by byte.
 */
public final class FramePeer implements AutoCloseable {
  private static final int PAYLOAD_OFFSET = FrameReader.HEADER_BYTES;
  private static final int PATIENCE_MS = 60_000;

  private final EmbeddedChannel channel;
  private final Socket socket;
  private final FieldEncoder encoder = new FieldEncoder();
  private final FieldDecoder decoder = new FieldDecoder();
  private final FieldBlock block = new FieldBlock(1 << 16, 1 << 10, 1 << 16);
  private final ByteBuf out = Unpooled.buffer();
  private final ByteBuf in = Unpooled.buffer();
  private final List<String> frames = new ArrayList<>();
  private final ByteBuf fields = Unpooled.buffer();
  private int blockStreamId;
  private boolean blockEnds;

  /** How many bytes the connection is given in one read; 0 for all that there are. */
  public int bytesPerRead;

  public FramePeer(EmbeddedChannel channel) {
    this.channel = channel;
    this.socket = null;
  }

  /** Connects as a client, and writes what every connection begins with. */
  public FramePeer(SocketAddress address) throws IOException {
    channel = null;
    socket = new Socket();
    socket.connect((InetSocketAddress) address, PATIENCE_MS);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MS);
    startAsClient();
  }

  /** The bytes with which a client begins. */
  public FramePeer preface() {
    ClientPreface.write(out);
    return this;
  }

  /** Preface and empty settings, and the acknowledgement of the connection's own. */
  public FramePeer startAsClient() {
    return preface().settings().settingsAck();
  }

  /** Empty settings, and the acknowledgement of the connection's own. */
  public FramePeer startAsServer() {
    return settings().settingsAck();
  }

  /** Any frame. */
  public FramePeer frame(int type, int flags, int streamId, byte... payload) {
    out.writeMedium(payload.length).writeByte(type).writeByte(flags).writeInt(streamId);
    out.writeBytes(payload);
    return this;
  }

  /** SETTINGS of pairs: an identifier, and its value behind it. */
  public FramePeer settings(int... pairs) {
    final ByteBuf payload = Unpooled.buffer();
    for (int i = 0; i < pairs.length; i += 2) {
      payload.writeShort(pairs[i]).writeInt(pairs[i + 1]);
    }
    return frame(FrameType.SETTINGS, 0, 0, bytes(payload));
  }

  public FramePeer settingsAck() {
    return frame(FrameType.SETTINGS, FrameFlag.ACK, 0);
  }

  /**
   * A head or trailers in one frame.
   *
   * @param lines each a name, a colon and a space, and a value; they are not indexed.
   */
  public FramePeer headers(int streamId, boolean endStream, String... lines) {
    return frame(
        FrameType.HEADERS,
        FrameFlag.END_HEADERS | (endStream ? FrameFlag.END_STREAM : 0),
        streamId,
        fields(lines));
  }

  /** A request's head, whose pseudo fields are given in short. */
  public FramePeer request(
      int streamId, boolean endStream, String method, String path, String... lines) {
    final List<String> all = new ArrayList<>();
    all.add(":method: " + method);
    all.add(":scheme: http");
    all.add(":path: " + path);
    all.add(":authority: test");
    all.addAll(List.of(lines));
    return headers(streamId, endStream, all.toArray(String[]::new));
  }

  /** A field block. */
  public byte[] fields(String... lines) {
    final ByteBuf payload = Unpooled.buffer();
    for (String line : lines) {
      final int colon = line.indexOf(": ", 1);
      final byte[] all = line.getBytes(StandardCharsets.ISO_8859_1);
      encoder.field(
          payload, new UnsafeBuffer(all), 0, colon, colon + 2, all.length - colon - 2, false);
    }
    return bytes(payload);
  }

  public FramePeer data(int streamId, boolean endStream, String content) {
    return data(streamId, endStream, content.getBytes(StandardCharsets.ISO_8859_1));
  }

  public FramePeer data(int streamId, boolean endStream, byte[] content) {
    return frame(FrameType.DATA, endStream ? FrameFlag.END_STREAM : 0, streamId, content);
  }

  /** DATA with padding. */
  public FramePeer padded(int streamId, boolean endStream, String content, int padBytes) {
    final ByteBuf payload = Unpooled.buffer();
    payload.writeByte(padBytes).writeBytes(content.getBytes(StandardCharsets.ISO_8859_1));
    payload.writeZero(padBytes);
    return frame(
        FrameType.DATA,
        FrameFlag.PADDED | (endStream ? FrameFlag.END_STREAM : 0),
        streamId,
        bytes(payload));
  }

  public FramePeer reset(int streamId, int errorCode) {
    return frame(FrameType.RST_STREAM, 0, streamId, ints(errorCode));
  }

  public FramePeer windowUpdate(int streamId, int bytes) {
    return frame(FrameType.WINDOW_UPDATE, 0, streamId, ints(bytes));
  }

  public FramePeer ping(long data) {
    return frame(FrameType.PING, 0, 0, bytes(Unpooled.buffer().writeLong(data)));
  }

  public FramePeer pingAck(long data) {
    return frame(FrameType.PING, FrameFlag.ACK, 0, bytes(Unpooled.buffer().writeLong(data)));
  }

  public FramePeer goAway(int lastStreamId, int errorCode) {
    return frame(FrameType.GOAWAY, 0, 0, ints(lastStreamId, errorCode));
  }

  /** Gives the connection what was written. */
  public FramePeer send() {
    sendBut(0);
    out.clear();
    return this;
  }

  /**
   * Gives the connection what was written but for its last bytes, which are given with the next.
   */
  void sendBut(int lastBytes) {
    if (socket != null) {
      write(out.readableBytes() - lastBytes);
      return;
    }
    while (out.readableBytes() > lastBytes && channel.isOpen()) {
      final int bytes = out.readableBytes() - lastBytes;
      final ByteBuf read = channel.alloc().directBuffer();
      read.writeBytes(out, bytesPerRead == 0 ? bytes : Math.min(bytesPerRead, bytes));
      channel.writeInbound(read);
    }
  }

  private void write(int bytes) {
    try {
      out.readBytes(socket.getOutputStream(), bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The next frame that a socket brings and that is about a stream or about the end, as {@link
   * #received} tells it; {@code closed} behind the last. A ping is answered.
   */
  public String next() {
    while (true) {
      while (frames.isEmpty()) {
        if (!read()) {
          return "closed";
        }
      }
      final String frame = frames.remove(0);
      switch (frame.split(" ", 2)[0]) {
        case "SETTINGS", "WINDOW_UPDATE" -> {
          continue;
        }
        case "PING" -> {
          if (!frame.startsWith("PING ack")) {
            pingAck(Long.parseLong(frame.substring(5))).send();
          }
        }
        default -> {
          return frame;
        }
      }
    }
  }

  private boolean read() {
    try {
      if (in.writeBytes(socket.getInputStream(), 1 << 14) < 0) {
        return false;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    parse();
    return true;
  }

  /**
   * The frames that the connection has sent since this was called last, a line each: type, stream,
   * what it holds, and {@code end} if it ends the stream.
   */
  public List<String> received() {
    channel.runPendingTasks();
    while (true) {
      final ByteBuf written = channel.readOutbound();
      if (written == null) {
        break;
      }
      in.writeBytes(written);
      written.release();
    }
    parse();
    final List<String> told = List.copyOf(frames);
    frames.clear();
    return told;
  }

  private void parse() {
    if (in.readableBytes() >= ClientPreface.BYTES && ClientPreface.begins(in)) {
      in.skipBytes(ClientPreface.BYTES);
      frames.add("preface");
    }
    while (in.readableBytes() >= PAYLOAD_OFFSET) {
      final int bytes = in.getUnsignedMedium(in.readerIndex());
      if (in.readableBytes() < PAYLOAD_OFFSET + bytes) {
        break;
      }
      in.skipBytes(3);
      final int type = in.readUnsignedByte();
      final int flags = in.readUnsignedByte();
      final int streamId = in.readInt();
      frame(type, flags, streamId, in.readSlice(bytes));
    }
    in.discardReadBytes();
  }

  private void frame(int type, int flags, int streamId, ByteBuf payload) {
    switch (type) {
      case FrameType.DATA ->
          frames.add(
              "DATA "
                  + streamId
                  + " "
                  + payload.toString(StandardCharsets.ISO_8859_1)
                  + end(flags));
      case FrameType.HEADERS -> {
        blockStreamId = streamId;
        blockEnds = (flags & FrameFlag.END_STREAM) != 0;
        block(flags, payload);
      }
      case FrameType.CONTINUATION -> block(flags, payload);
      case FrameType.RST_STREAM ->
          frames.add("RST_STREAM " + streamId + " " + ErrorCode.name(payload.readInt()));
      case FrameType.SETTINGS -> frames.add("SETTINGS" + settings(flags, payload));
      case FrameType.PING ->
          frames.add(((flags & FrameFlag.ACK) != 0 ? "PING ack " : "PING ") + payload.readLong());
      case FrameType.GOAWAY ->
          frames.add(
              "GOAWAY "
                  + payload.readInt()
                  + " "
                  + ErrorCode.name(payload.readInt())
                  + (payload.isReadable()
                      ? " " + payload.toString(StandardCharsets.ISO_8859_1)
                      : ""));
      case FrameType.WINDOW_UPDATE ->
          frames.add("WINDOW_UPDATE " + streamId + " " + payload.readInt());
      default -> frames.add("frame of type " + type);
    }
  }

  private static String settings(int flags, ByteBuf payload) {
    if ((flags & FrameFlag.ACK) != 0) {
      return " ack";
    }
    final StringBuilder pairs = new StringBuilder();
    while (payload.isReadable()) {
      pairs.append(' ').append(payload.readUnsignedShort()).append('=').append(payload.readInt());
    }
    return pairs.toString();
  }

  private void block(int flags, ByteBuf payload) {
    fields.writeBytes(payload);
    if ((flags & FrameFlag.END_HEADERS) == 0) {
      return;
    }
    if (decoder.decode(fields, fields.readerIndex(), fields.readableBytes(), block)
        != FieldDecoder.Outcome.DECODED) {
      throw new AssertionError("a field block that cannot be decoded");
    }
    fields.clear();
    frames.add(
        "HEADERS "
            + blockStreamId
            + " "
            + String.join(", ", Fields.of(block))
            + (blockEnds ? " end" : ""));
  }

  private static String end(int flags) {
    return (flags & FrameFlag.END_STREAM) != 0 ? " end" : "";
  }

  private static byte[] ints(int... values) {
    final ByteBuf payload = Unpooled.buffer();
    for (int value : values) {
      payload.writeInt(value);
    }
    return bytes(payload);
  }

  private static byte[] bytes(ByteBuf from) {
    final byte[] bytes = new byte[from.readableBytes()];
    from.readBytes(bytes);
    return bytes;
  }

  /** Ends a connection over a socket; an {@link EmbeddedChannel} is its test's. */
  @Override
  public void close() throws IOException {
    if (socket != null) {
      socket.close();
    }
  }
}
