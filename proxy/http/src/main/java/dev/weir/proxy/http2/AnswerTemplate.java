package dev.weir.proxy.http2;

import dev.weir.proxy.http2.hpack.HpackEncoder;
import dev.weir.proxy.http2.hpack.WordCopy;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A response that differs from others in its content only: head, content and trailers, as three
 * frames that are written together. Used by one event loop.
 */
public final class AnswerTemplate {
  private static final int TYPE_OFFSET = 3;
  private static final int FLAGS_OFFSET = 4;
  private static final int STREAM_OFFSET = 5;

  /** The frame of the head, and the frame header of the content. */
  private final UnsafeBuffer begin;

  /** The trailers' frame. */
  private final UnsafeBuffer end;

  private final int dataOffset;

  /**
   * @param head as {@link HpackEncoder} makes it, as the trailers are.
   */
  public AnswerTemplate(byte[] head, byte[] trailers) {
    dataOffset = FrameReader.HEADER_BYTES + head.length;
    begin = new UnsafeBuffer(new byte[dataOffset + FrameReader.HEADER_BYTES]);
    header(begin, 0, FrameType.HEADERS, FrameFlag.END_HEADERS, head.length);
    begin.putBytes(FrameReader.HEADER_BYTES, head);
    header(begin, dataOffset, FrameType.DATA, 0, 0);
    end = new UnsafeBuffer(new byte[FrameReader.HEADER_BYTES + trailers.length]);
    final int last = FrameFlag.END_HEADERS | FrameFlag.END_STREAM;
    header(end, 0, FrameType.HEADERS, last, trailers.length);
    end.putBytes(FrameReader.HEADER_BYTES, trailers);
  }

  private static void header(
      MutableDirectBuffer to, int at, int type, int flags, int payloadBytes) {
    length(to, at, payloadBytes);
    to.putByte(at + TYPE_OFFSET, (byte) type);
    to.putByte(at + FLAGS_OFFSET, (byte) flags);
  }

  private static void length(MutableDirectBuffer to, int at, int payloadBytes) {
    to.putByte(at, (byte) (payloadBytes >>> 16));
    to.putShort(at + 1, (short) payloadBytes, ByteOrder.BIG_ENDIAN);
  }

  /** The length of a response with that much content. */
  int bytes(int contentBytes) {
    return begin.capacity() + contentBytes + end.capacity();
  }

  /**
   * Writes a response.
   *
   * @param content has it in its first {@code contentBytes}, at most {@link
   *     Setting#DEFAULT_MAX_FRAME_BYTES}.
   * @param to has room for {@link #bytes}.
   */
  void write(int streamId, DirectBuffer content, int contentBytes, MutableDirectBuffer to) {
    WordCopy.copy(begin, 0, to, 0, begin.capacity());
    to.putInt(STREAM_OFFSET, streamId, ByteOrder.BIG_ENDIAN);
    length(to, dataOffset, contentBytes);
    to.putInt(dataOffset + STREAM_OFFSET, streamId, ByteOrder.BIG_ENDIAN);
    final int contentOffset = begin.capacity();
    WordCopy.copy(content, 0, to, contentOffset, contentBytes);
    final int endOffset = contentOffset + contentBytes;
    WordCopy.copy(end, 0, to, endOffset, end.capacity());
    to.putInt(endOffset + STREAM_OFFSET, streamId, ByteOrder.BIG_ENDIAN);
  }
}
