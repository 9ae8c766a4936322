package dev.weir.bench.origin;

import dev.weir.proxy.http2.FrameFlag;
import dev.weir.proxy.http2.FrameReader;
import dev.weir.proxy.http2.FrameType;
import dev.weir.proxy.http2.Setting;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** An answer of HTTP/2 as the bytes of its frames, made once and sent for many requests. */
public final class Http2Answer {
  private static final int MAX_BODY_BYTES = Setting.DEFAULT_MAX_FRAME_BYTES;
  private static final int STREAM_ID_OFFSET = 5;
  private static final String GRPC = "application/grpc";
  private static final String GRPC_STATUS = "grpc-status";
  private static final int GRPC_PREFIX_BYTES = 5;

  private final byte[] bytes;
  private final int[] streamIdOffsets;
  private final int contentBytes;

  private Http2Answer(ByteBuf frames, int contentBytes) {
    this.contentBytes = contentBytes;
    bytes = new byte[frames.readableBytes()];
    frames.getBytes(0, bytes);
    int[] offsets = new int[bytes.length / FrameReader.HEADER_BYTES];
    int count = 0;
    for (int at = 0; at < bytes.length; count++) {
      offsets[count] = at + STREAM_ID_OFFSET;
      at += FrameReader.HEADER_BYTES + frames.getUnsignedMedium(at);
    }
    streamIdOffsets = Arrays.copyOf(offsets, count);
  }

  /**
   * @param status from 200 to 599.
   * @param body of at most 16,384 bytes; empty for none.
   */
  public static Http2Answer http(int status, byte[] body) {
    final byte[] block = status(status).bytes();
    final ByteBuf frames = Unpooled.buffer();
    frame(
        frames,
        FrameType.HEADERS,
        FrameFlag.END_HEADERS | (body.length == 0 ? FrameFlag.END_STREAM : 0),
        block);
    if (body.length > 0) {
      frame(frames, FrameType.DATA, FrameFlag.END_STREAM, body);
    }
    return checked(frames, body.length);
  }

  /**
   * A gRPC call's, with a message.
   *
   * @param message of at most 16,379 bytes.
   */
  public static Http2Answer grpc(int grpcStatus, byte[] message) {
    final byte[] head = status(200).add("content-type", GRPC).bytes();
    final byte[] trailers =
        new HpackEncoder().add(GRPC_STATUS, Integer.toString(grpcStatus)).bytes();
    final byte[] content =
        ByteBuffer.allocate(GRPC_PREFIX_BYTES + message.length)
            .put((byte) 0) // not compressed
            .putInt(message.length)
            .put(message)
            .array();
    final ByteBuf frames = Unpooled.buffer();
    frame(frames, FrameType.HEADERS, FrameFlag.END_HEADERS, head);
    frame(frames, FrameType.DATA, 0, content);
    frame(frames, FrameType.HEADERS, FrameFlag.END_HEADERS | FrameFlag.END_STREAM, trailers);
    return checked(frames, content.length);
  }

  /** A gRPC call's, without a message: with trailers only. */
  public static Http2Answer grpc(int grpcStatus) {
    final byte[] block =
        status(200)
            .add("content-type", GRPC)
            .add(GRPC_STATUS, Integer.toString(grpcStatus))
            .bytes();
    final ByteBuf frames = Unpooled.buffer();
    frame(frames, FrameType.HEADERS, FrameFlag.END_HEADERS | FrameFlag.END_STREAM, block);
    return checked(frames, 0);
  }

  private static Http2Answer checked(ByteBuf frames, int contentBytes) {
    if (contentBytes > MAX_BODY_BYTES) {
      throw new IllegalArgumentException(
          "body: " + contentBytes + " bytes (expected: " + MAX_BODY_BYTES + " or fewer)");
    }
    return new Http2Answer(frames, contentBytes);
  }

  private static HpackEncoder status(int status) {
    return new HpackEncoder().add(":status", Integer.toString(status));
  }

  private static void frame(ByteBuf frames, int type, int flags, byte[] payload) {
    frames
        .writeMedium(payload.length)
        .writeByte(type)
        .writeByte(flags)
        .writeInt(0)
        .writeBytes(payload);
  }

  /** The bytes of content, which the client's windows must have room for. */
  int contentBytes() {
    return contentBytes;
  }

  void write(ByteBuf out, int streamId) {
    final int start = out.writerIndex();
    out.writeBytes(bytes);
    for (int offset : streamIdOffsets) {
      out.setInt(start + offset, streamId);
    }
  }
}
