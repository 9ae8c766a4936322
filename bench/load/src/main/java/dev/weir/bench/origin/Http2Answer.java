package dev.weir.bench.origin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** An answer of HTTP/2 as the bytes of its frames, made once and sent for many requests. */
public final class Http2Answer {
  private static final int MAX_BODY_BYTES = Http2CodecUtil.DEFAULT_MAX_FRAME_SIZE;
  private static final int STREAM_ID_OFFSET = 5;
  private static final int END_STREAM = 0x1;
  private static final int END_HEADERS = 0x4;

  /** Those of the static table (RFC 7541), from its entry 8 on. */
  private static final List<Integer> STATUSES = List.of(200, 204, 206, 304, 400, 404, 500);

  private static final int FIRST_STATUS = 8;
  private static final int INDEXED = 0x80;

  /** A literal that is not indexed, of the static table's content-type. */
  private static final int[] CONTENT_TYPE = {0x0f, 31 - 15};

  private static final int NEW_NAME = 0;
  private static final String GRPC = "application/grpc";
  private static final int GRPC_PREFIX_BYTES = 5;

  private final byte[] bytes;
  private final int[] streamIdOffsets;
  private final int contentBytes;

  private Http2Answer(ByteBuf frames, int contentBytes) {
    this.contentBytes = contentBytes;
    bytes = new byte[frames.readableBytes()];
    frames.getBytes(0, bytes);
    int[] offsets = new int[bytes.length / Http2CodecUtil.FRAME_HEADER_LENGTH];
    int count = 0;
    for (int at = 0; at < bytes.length; count++) {
      offsets[count] = at + STREAM_ID_OFFSET;
      at += Http2CodecUtil.FRAME_HEADER_LENGTH + frames.getUnsignedMedium(at);
    }
    streamIdOffsets = Arrays.copyOf(offsets, count);
  }

  /**
   * @param status from 200 to 599.
   * @param body of at most 16,384 bytes; empty for none.
   */
  public static Http2Answer http(int status, byte[] body) {
    final ByteBuf block = status(status);
    final ByteBuf frames = Unpooled.buffer();
    frame(
        frames, Http2FrameTypes.HEADERS, END_HEADERS | (body.length == 0 ? END_STREAM : 0), block);
    if (body.length > 0) {
      frame(frames, Http2FrameTypes.DATA, END_STREAM, Unpooled.wrappedBuffer(body));
    }
    return checked(frames, body.length);
  }

  /**
   * A gRPC call's, with a message.
   *
   * @param message of at most 16,379 bytes.
   */
  public static Http2Answer grpc(int grpcStatus, byte[] message) {
    final ByteBuf block = status(200);
    block.writeByte(CONTENT_TYPE[0]).writeByte(CONTENT_TYPE[1]);
    text(block, GRPC);
    final ByteBuf content =
        Unpooled.buffer().writeByte(0).writeInt(message.length).writeBytes(message);
    final ByteBuf frames = Unpooled.buffer();
    frame(frames, Http2FrameTypes.HEADERS, END_HEADERS, block);
    frame(frames, Http2FrameTypes.DATA, 0, content);
    frame(frames, Http2FrameTypes.HEADERS, END_HEADERS | END_STREAM, grpcStatus(grpcStatus));
    return checked(frames, GRPC_PREFIX_BYTES + message.length);
  }

  /** A gRPC call's, without a message: with trailers only. */
  public static Http2Answer grpc(int grpcStatus) {
    final ByteBuf block = status(200);
    block.writeByte(CONTENT_TYPE[0]).writeByte(CONTENT_TYPE[1]);
    text(block, GRPC);
    block.writeBytes(grpcStatus(grpcStatus));
    final ByteBuf frames = Unpooled.buffer();
    frame(frames, Http2FrameTypes.HEADERS, END_HEADERS | END_STREAM, block);
    return checked(frames, 0);
  }

  private static Http2Answer checked(ByteBuf frames, int contentBytes) {
    if (contentBytes > MAX_BODY_BYTES) {
      throw new IllegalArgumentException(
          "body: " + contentBytes + " bytes (expected: " + MAX_BODY_BYTES + " or fewer)");
    }
    return new Http2Answer(frames, contentBytes);
  }

  private static ByteBuf status(int status) {
    final int index = STATUSES.indexOf(status);
    if (index >= 0) {
      return Unpooled.buffer().writeByte(INDEXED | FIRST_STATUS + index);
    }
    final ByteBuf block = Unpooled.buffer().writeByte(FIRST_STATUS);
    text(block, Integer.toString(status));
    return block;
  }

  private static ByteBuf grpcStatus(int status) {
    final ByteBuf block = Unpooled.buffer().writeByte(NEW_NAME);
    text(block, "grpc-status");
    text(block, Integer.toString(status));
    return block;
  }

  // Shorter than 127 bytes, not Huffman coded.
  private static void text(ByteBuf block, String text) {
    block.writeByte(text.length());
    block.writeCharSequence(text, StandardCharsets.US_ASCII);
  }

  private static void frame(ByteBuf frames, byte type, int flags, ByteBuf payload) {
    frames
        .writeMedium(payload.readableBytes())
        .writeByte(type)
        .writeByte(flags)
        .writeInt(0)
        .writeBytes(payload);
  }

  /** What it takes of the client's windows. */
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
