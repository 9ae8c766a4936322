package dev.weir.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;

/**
 * The frames that one side of a connection sends, gathered into one buffer per flush. Used by the
 * connection's event loop alone; {@link #discard} must be called in the end.
 */
public final class Http2Output {
  /** RFC 7541, section 6.3: the dynamic table's new size is 0. */
  private static final int TABLE_OF_NOTHING = 0x20;

  private static final int INITIAL_BYTES = 4096;

  /** Contents wait while so much is written: the peer may take a gigabyte, and memory not. */
  private static final int FULL_BYTES = 1 << 18;

  private final ChannelHandlerContext context;
  private int maxFrameBytes = Setting.DEFAULT_MAX_FRAME_BYTES;
  private boolean tableShrinks;
  private ByteBuf out;

  public Http2Output(ChannelHandlerContext context) {
    this.context = context;
  }

  /** The peer takes frames of this payload. */
  public void maxFrameBytes(int bytes) {
    maxFrameBytes = bytes;
  }

  public int maxFrameBytes() {
    return maxFrameBytes;
  }

  /** Whether contents must wait until what was written has been sent. */
  public boolean isFull() {
    return out != null && out.readableBytes() >= FULL_BYTES || !context.channel().isWritable();
  }

  /**
   * The peer has made the dynamic table smaller, and must be told that it was understood (RFC 7541,
   * section 4.2). Nothing of ours is in it.
   */
  public void shrinkTable() {
    tableShrinks = true;
  }

  /** The bytes that a client's side begins with; its settings follow. */
  public void preface() {
    ClientPreface.write(room(ClientPreface.BYTES));
  }

  /**
   * Announces settings.
   *
   * @param pairs each an identifier of {@link Setting}, and its value behind it.
   */
  public void settings(int... pairs) {
    frame(pairs.length / 2 * (Short.BYTES + Integer.BYTES), FrameType.SETTINGS, 0, 0);
    for (int i = 0; i < pairs.length; i += 2) {
      out.writeShort(pairs[i]).writeInt(pairs[i + 1]);
    }
  }

  /**
   * A head or trailers, in as many frames as the peer needs.
   *
   * @param block is a {@link HpackEncoder}'s.
   */
  public void headers(int streamId, byte[] block, boolean endStream) {
    headers(streamId, block, block.length, endStream);
  }

  /**
   * A head or trailers, in as many frames as the peer needs.
   *
   * @param block has the fields in its first {@code blockBytes}.
   */
  public void headers(int streamId, byte[] block, int blockBytes, boolean endStream) {
    int extraBytes = tableShrinks ? 1 : 0;
    int bytes = Math.min(blockBytes, maxFrameBytes - extraBytes);
    int flags =
        (endStream ? FrameFlag.END_STREAM : 0) | (bytes == blockBytes ? FrameFlag.END_HEADERS : 0);
    frame(bytes + extraBytes, FrameType.HEADERS, flags, streamId);
    if (tableShrinks) {
      out.writeByte(TABLE_OF_NOTHING);
      tableShrinks = false;
    }
    out.writeBytes(block, 0, bytes);
    for (int at = bytes; at < blockBytes; at += bytes) {
      bytes = Math.min(blockBytes - at, maxFrameBytes);
      flags = at + bytes == blockBytes ? FrameFlag.END_HEADERS : 0;
      frame(bytes, FrameType.CONTINUATION, flags, streamId);
      out.writeBytes(block, at, bytes);
    }
  }

  /** One frame of at most {@link #maxFrameBytes}. */
  public void data(int streamId, byte[] body, int offset, int bytes, boolean endStream) {
    frame(bytes, FrameType.DATA, endStream ? FrameFlag.END_STREAM : 0, streamId);
    out.writeBytes(body, offset, bytes);
  }

  public void reset(int streamId, int errorCode) {
    frame(Integer.BYTES, FrameType.RST_STREAM, 0, streamId);
    out.writeInt(errorCode);
  }

  public void windowUpdate(int streamId, int bytes) {
    frame(Integer.BYTES, FrameType.WINDOW_UPDATE, 0, streamId);
    out.writeInt(bytes);
  }

  public void settingsAck() {
    frame(0, FrameType.SETTINGS, FrameFlag.ACK, 0);
  }

  public void pingAck(long data) {
    frame(Long.BYTES, FrameType.PING, FrameFlag.ACK, 0);
    out.writeLong(data);
  }

  /** Takes none of the peer's streams above one; 0 if it has opened none. */
  public void goAway(int lastStreamId, int errorCode) {
    frame(2 * Integer.BYTES, FrameType.GOAWAY, 0, 0);
    out.writeInt(lastStreamId).writeInt(errorCode);
  }

  /** Takes whole frames that were encoded before; to be written into at once. */
  public ByteBuf encoded() {
    return room(0);
  }

  private void frame(int payloadBytes, int type, int flags, int streamId) {
    room(payloadBytes)
        .writeMedium(payloadBytes)
        .writeByte(type)
        .writeByte(flags)
        .writeInt(streamId);
  }

  private ByteBuf room(int payloadBytes) {
    if (out == null) {
      out =
          context
              .alloc()
              .ioBuffer(Math.max(INITIAL_BYTES, FrameReader.HEADER_BYTES + payloadBytes));
    }
    return out;
  }

  /** Sends what was gathered, if anything was. */
  public void flush() {
    if (out != null) {
      ByteBuf sent = out;
      out = null;
      context.writeAndFlush(sent, context.voidPromise());
    }
  }

  /** Forgets what was gathered. */
  public void discard() {
    if (out != null) {
      out.release();
      out = null;
    }
  }
}
