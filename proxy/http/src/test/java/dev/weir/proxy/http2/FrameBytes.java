package dev.weir.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Frames as a peer sends them, right or wrong. */
final class FrameBytes {
  private FrameBytes() {}

  static ByteBuf frame(int type, int flags, int streamId, int... payload) {
    final ByteBuf frame = header(payload.length, type, flags, streamId);
    for (int b : payload) {
      frame.writeByte(b);
    }
    return frame;
  }

  static ByteBuf frame(int type, int flags, int streamId, byte[] payload) {
    return header(payload.length, type, flags, streamId).writeBytes(payload);
  }

  /** The bytes before a payload. */
  static ByteBuf header(int bytes, int type, int flags, int streamId) {
    return Unpooled.buffer(FrameReader.HEADER_BYTES + bytes)
        .writeMedium(bytes)
        .writeByte(type)
        .writeByte(flags)
        .writeInt(streamId);
  }
}
