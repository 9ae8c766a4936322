package dev.weir.proxy.http2;

import dev.weir.proxy.http2.hpack.FieldEncoder;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import dev.weir.proxy.loop.ChannelIo;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The frames that one side of a connection sends, gathered into one buffer per flush. Used by the
 * connection's event loop only; {@link #discard} must be called in the end.
 */
public final class Http2Output {
  /** A dynamic table size update to 0 (RFC 7541, section 6.3). */
  private static final int TABLE_OF_NOTHING = 0x20;

  static final byte[] NO_DEBUG_TEXT = {};
  private static final int MIN_INITIAL_BYTES = 4096;
  private static final int MAX_INITIAL_BYTES = 1 << 16;

  /** With so many unsent bytes content waits: the peer's window may be a gigabyte. */
  private static final int FULL_BYTES = 1 << 18;

  private static final int FLAGS_OFFSET = 4;

  private final Channel channel;
  private int maxFrameBytes = Setting.DEFAULT_MAX_FRAME_BYTES;
  private boolean tableShrinks;
  private ByteBuf out;
  private long handedBytes;
  private long flushedBytes;

  /** The initial size of the next buffer: as large as the last output. */
  private int initialBytes = MIN_INITIAL_BYTES;

  /** Whether the channel is known to be writable, and has been given nothing since. */
  private boolean isKnownWritable;

  /** Whether the channel has been given bytes that were not flushed. */
  private boolean handed;

  /** The content of a response and its place, while it is written. */
  private final UnsafeBuffer answerContent = new UnsafeBuffer(0, 0);

  private final UnsafeBuffer answerRoom = new UnsafeBuffer(0, 0);

  /** The offset of the HEADERS frame that is being written. */
  private int headersOffset;

  public Http2Output(Channel channel) {
    this.channel = channel;
  }

  /** Sets the largest payload that the peer accepts. */
  public void maxFrameBytes(int bytes) {
    maxFrameBytes = bytes;
  }

  public int maxFrameBytes() {
    return maxFrameBytes;
  }

  /** Whether content must wait until unsent bytes have been sent. */
  public boolean isFull() {
    if (out != null && out.readableBytes() >= FULL_BYTES) {
      return true;
    }
    isKnownWritable = isKnownWritable || channel.isWritable();
    return !isKnownWritable;
  }

  /** The number of bytes ever written. */
  long writtenBytes() {
    return handedBytes + (out == null ? 0 : out.readableBytes());
  }

  /** The number of bytes ever flushed. */
  long flushedBytes() {
    return flushedBytes;
  }

  /**
   * The number of written bytes that the system has taken, at least; with TLS it may be a few more.
   */
  long sentBytes() {
    final ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
    return unsent == null
        ? handedBytes
        : handedBytes - unsent.totalPendingWriteBytes() + unsent.currentProgress();
  }

  /** Written bytes that the system has not taken. */
  long unsentBytes() {
    final ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
    return (out == null ? 0 : out.readableBytes())
        + (unsent == null ? 0 : unsent.totalPendingWriteBytes());
  }

  /** Whether {@link #flush} has nothing to send. */
  boolean isEmpty() {
    return out == null && !handed;
  }

  /**
   * Sends a dynamic table size update, as the peer has reduced its table (RFC 7541, section 4.2).
   * We use no table.
   */
  public void shrinkTable() {
    tableShrinks = true;
  }

  /** Writes a client's preface; its settings follow. */
  public void preface() {
    ClientPreface.write(room(ClientPreface.BYTES));
  }

  /**
   * Writes settings.
   *
   * @param pairs each an identifier of {@link Setting}, and its value.
   */
  public void settings(int... pairs) {
    frame(pairs.length / 2 * (Short.BYTES + Integer.BYTES), FrameType.SETTINGS, 0, 0);
    for (int i = 0; i < pairs.length; i += 2) {
      out.writeShort(pairs[i]).writeInt(pairs[i + 1]);
    }
  }

  /**
   * Writes a head or trailers, in as many frames as the peer's frame size needs.
   *
   * @param block of a {@link HpackEncoder}.
   */
  public void headers(int streamId, byte[] block, boolean endStream) {
    headers(streamId, block, block.length, endStream);
  }

  /**
   * Writes a head or trailers, in as many frames as the peer's frame size needs.
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

  /**
   * Begins a head or trailers, whose fields a {@link FieldEncoder} then writes; nothing else may be
   * written before {@link #endHeaders}.
   *
   * @return the buffer for the fields.
   */
  ByteBuf beginHeaders(int streamId) {
    headersOffset = room(0).writerIndex();
    frame(0, FrameType.HEADERS, 0, streamId);
    if (tableShrinks) {
      out.writeByte(TABLE_OF_NOTHING);
      tableShrinks = false;
    }
    return out;
  }

  /** Ends the head or trailers begun last, and splits them into frames if they are too long. */
  void endHeaders(int streamId, boolean endStream) {
    final int begin = headersOffset + FrameReader.HEADER_BYTES;
    final int bytes = out.writerIndex() - begin;
    final int first = Math.min(bytes, maxFrameBytes);
    out.setMedium(headersOffset, first);
    out.setByte(
        headersOffset + FLAGS_OFFSET,
        (endStream ? FrameFlag.END_STREAM : 0) | (first == bytes ? FrameFlag.END_HEADERS : 0));
    if (first < bytes) {
      continueHeaders(streamId, begin + first, bytes - first);
    }
  }

  /** Splits what follows the first frame into CONTINUATION frames. */
  private void continueHeaders(int streamId, int offset, int bytes) {
    final ByteBuf rest = channel.alloc().buffer(bytes);
    rest.writeBytes(out, offset, bytes);
    out.writerIndex(offset);
    while (rest.isReadable()) {
      final int part = Math.min(rest.readableBytes(), maxFrameBytes);
      frame(
          part,
          FrameType.CONTINUATION,
          part == rest.readableBytes() ? FrameFlag.END_HEADERS : 0,
          streamId);
      out.writeBytes(rest, part);
    }
    rest.release();
  }

  /** Writes an encoded head or trailers; {@code block} is taken over. */
  void headers(int streamId, ByteBuf block, boolean endStream) {
    beginHeaders(streamId).writeBytes(block);
    block.release();
    endHeaders(streamId, endStream);
  }

  /**
   * Writes one DATA frame, whose content is copied only if it is short.
   *
   * @param from has the content in the next {@code bytes}, which are read; it stays the caller's.
   * @param bytes at most {@link #maxFrameBytes}.
   */
  void data(int streamId, ByteBuf from, int bytes, boolean endStream) {
    frame(bytes, FrameType.DATA, endStream ? FrameFlag.END_STREAM : 0, streamId);
    if (bytes < ReceivedContent.MIN_SLICE_BYTES) {
      out.writeBytes(from, bytes);
    } else {
      hand();
      handed = true;
      isKnownWritable = false;
      handedBytes += bytes;
      ChannelIo.write(channel, from.readRetainedSlice(bytes));
    }
  }

  /** Writes one DATA frame of at most {@link #maxFrameBytes}. */
  public void data(int streamId, byte[] body, int offset, int bytes, boolean endStream) {
    frame(bytes, FrameType.DATA, endStream ? FrameFlag.END_STREAM : 0, streamId);
    out.writeBytes(body, offset, bytes);
  }

  /** Writes a whole response; false, and nothing is written, if another frame must go first. */
  boolean answer(int streamId, AnswerTemplate answer, byte[] content, int bytes) {
    if (tableShrinks) {
      return false;
    }
    final int length = answer.bytes(bytes);
    final ByteBuf to = room(length).ensureWritable(length);
    ChannelIo.viewRoom(to, length, answerRoom);
    answerContent.wrap(content);
    answer.write(streamId, answerContent, bytes, answerRoom);
    to.writerIndex(to.writerIndex() + length);
    return true;
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

  /** Writes a ping. */
  void ping(long data) {
    frame(Long.BYTES, FrameType.PING, 0, 0);
    out.writeLong(data);
  }

  /** Writes GOAWAY: no stream of the peer above one is processed; 0 if it has opened none. */
  public void goAway(int lastStreamId, int errorCode) {
    goAway(lastStreamId, errorCode, NO_DEBUG_TEXT);
  }

  /** Writes GOAWAY with a debug text in ASCII. */
  void goAway(int lastStreamId, int errorCode, byte[] debugText) {
    frame(2 * Integer.BYTES + debugText.length, FrameType.GOAWAY, 0, 0);
    out.writeInt(lastStreamId).writeInt(errorCode).writeBytes(debugText);
  }

  /** The buffer for complete encoded frames, to be written at once. */
  public ByteBuf encoded() {
    return room(0);
  }

  private void frame(int payloadBytes, int type, int flags, int streamId) {
    // The first eight of its nine bytes at once: each write checks the buffer anew.
    room(payloadBytes)
        .writeLong((long) payloadBytes << 40 | (long) type << 32 | flags << 24 | streamId >>> 8)
        .writeByte(streamId);
  }

  private ByteBuf room(int payloadBytes) {
    if (out == null) {
      out =
          channel.alloc().ioBuffer(Math.max(initialBytes, FrameReader.HEADER_BYTES + payloadBytes));
    }
    return out;
  }

  /** A power of two, as buffers have. */
  private static int initialBytes(int sentBytes) {
    final int bytes = Math.max(MIN_INITIAL_BYTES, Math.min(sentBytes, MAX_INITIAL_BYTES));
    return Integer.highestOneBit(2 * bytes - 1);
  }

  /** Gives the channel what was gathered. */
  private void hand() {
    if (out != null) {
      final ByteBuf gathered = out;
      out = null;
      initialBytes = initialBytes(gathered.readableBytes());
      isKnownWritable = false;
      handedBytes += gathered.readableBytes();
      ChannelIo.write(channel, gathered);
    }
  }

  /** Flushes what was gathered. */
  public void flush() {
    if (out != null || handed) {
      hand();
      handed = false;
      flushedBytes = handedBytes;
      ChannelIo.flush(channel);
      isKnownWritable = false; // within TLS it is by this that the channel has more
    }
  }

  /** Releases what was gathered. */
  public void discard() {
    if (out != null) {
      out.release();
      out = null;
    }
  }
}
