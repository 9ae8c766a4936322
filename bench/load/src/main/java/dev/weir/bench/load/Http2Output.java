package dev.weir.bench.load;

import static io.netty.handler.codec.http2.Http2CodecUtil.FRAME_HEADER_LENGTH;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameTypes;

/** The frames that a client of HTTP/2 sends, gathered into one buffer per flush. */
final class Http2Output {
  private static final int END_STREAM = 0x1;
  private static final int ACK = 0x1;
  private static final int END_HEADERS = 0x4;

  /** RFC 7541, section 6.3: the dynamic table's new size is 0. */
  private static final int TABLE_OF_NOTHING = 0x20;

  private static final int INITIAL_BYTES = 4096;

  /** Contents wait while so much is written: the peer may take a gigabyte, and memory not. */
  private static final int FULL_BYTES = 1 << 18;

  private final ChannelHandlerContext context;
  private int maxFrameBytes = Http2CodecUtil.DEFAULT_MAX_FRAME_SIZE;
  private boolean tableShrinks;
  private ByteBuf out;

  Http2Output(ChannelHandlerContext context) {
    this.context = context;
  }

  /** The peer takes frames of this payload. */
  void maxFrameBytes(int bytes) {
    maxFrameBytes = bytes;
  }

  int maxFrameBytes() {
    return maxFrameBytes;
  }

  /** Whether contents must wait until what was written has been sent. */
  boolean isFull() {
    return out != null && out.readableBytes() >= FULL_BYTES || !context.channel().isWritable();
  }

  /**
   * The peer has made the dynamic table smaller, and must be told that it was understood (RFC 7541,
   * section 4.2). Nothing of ours is in it.
   */
  void shrinkTable() {
    tableShrinks = true;
  }

  /** The connection's preface: no pushes, and windows that no usual answer fills. */
  void preface(int windowBytes, int maxHeaderListBytes) {
    room(0).writeBytes(Http2CodecUtil.connectionPrefaceBuf());
    frame(3 * Http2CodecUtil.SETTING_ENTRY_LENGTH, Http2FrameTypes.SETTINGS, 0, 0);
    setting(Http2CodecUtil.SETTINGS_ENABLE_PUSH, 0);
    setting(Http2CodecUtil.SETTINGS_INITIAL_WINDOW_SIZE, windowBytes);
    setting(Http2CodecUtil.SETTINGS_MAX_HEADER_LIST_SIZE, maxHeaderListBytes);
    windowUpdate(0, windowBytes - Http2CodecUtil.DEFAULT_WINDOW_SIZE);
  }

  private void setting(int id, int value) {
    out.writeShort(id).writeInt(value);
  }

  void headers(int streamId, byte[] block, boolean endStream) {
    int extraBytes = tableShrinks ? 1 : 0;
    int bytes = Math.min(block.length, maxFrameBytes - extraBytes);
    int flags = (endStream ? END_STREAM : 0) | (bytes == block.length ? END_HEADERS : 0);
    frame(bytes + extraBytes, Http2FrameTypes.HEADERS, flags, streamId);
    if (tableShrinks) {
      out.writeByte(TABLE_OF_NOTHING);
      tableShrinks = false;
    }
    out.writeBytes(block, 0, bytes);
    for (int at = bytes; at < block.length; at += bytes) {
      bytes = Math.min(block.length - at, maxFrameBytes);
      flags = at + bytes == block.length ? END_HEADERS : 0;
      frame(bytes, Http2FrameTypes.CONTINUATION, flags, streamId);
      out.writeBytes(block, at, bytes);
    }
  }

  /** One frame of at most {@link #maxFrameBytes}. */
  void data(int streamId, byte[] body, int offset, int bytes, boolean endStream) {
    frame(bytes, Http2FrameTypes.DATA, endStream ? END_STREAM : 0, streamId);
    out.writeBytes(body, offset, bytes);
  }

  void reset(int streamId, long errorCode) {
    frame(Http2CodecUtil.INT_FIELD_LENGTH, Http2FrameTypes.RST_STREAM, 0, streamId);
    out.writeInt((int) errorCode);
  }

  void windowUpdate(int streamId, int bytes) {
    frame(Http2CodecUtil.INT_FIELD_LENGTH, Http2FrameTypes.WINDOW_UPDATE, 0, streamId);
    out.writeInt(bytes);
  }

  void settingsAck() {
    frame(0, Http2FrameTypes.SETTINGS, ACK, 0);
  }

  void pingAck(long data) {
    frame(Long.BYTES, Http2FrameTypes.PING, ACK, 0);
    out.writeLong(data);
  }

  /** No stream of the peer's was taken: it may open none. */
  void goAway(long errorCode) {
    frame(2 * Http2CodecUtil.INT_FIELD_LENGTH, Http2FrameTypes.GO_AWAY, 0, 0);
    out.writeInt(0).writeInt((int) errorCode);
  }

  private void frame(int payloadBytes, byte type, int flags, int streamId) {
    room(payloadBytes)
        .writeMedium(payloadBytes)
        .writeByte(type)
        .writeByte(flags)
        .writeInt(streamId);
  }

  private ByteBuf room(int payloadBytes) {
    if (out == null) {
      out = context.alloc().ioBuffer(Math.max(INITIAL_BYTES, FRAME_HEADER_LENGTH + payloadBytes));
    }
    return out;
  }

  /** Sends what was gathered, if anything was. */
  void flush() {
    if (out != null) {
      ByteBuf sent = out;
      out = null;
      context.writeAndFlush(sent, context.voidPromise());
    }
  }

  /** Forgets what was gathered. */
  void discard() {
    if (out != null) {
      out.release();
      out = null;
    }
  }
}
