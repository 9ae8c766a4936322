package dev.weir.proxy.http2;

import java.util.Arrays;

/**
 * Answers that differ in their content only: a head, content in one frame, and trailers, as three
 * frames in one piece of memory, which is written at once. Used by one event loop.
 */
public final class AnswerTemplate {
  private static final int TYPE_OFFSET = 3;
  private static final int FLAGS_OFFSET = 4;
  private static final int STREAM_OFFSET = 5;
  private static final int USUAL_CONTENT_BYTES = 512;

  private final byte[] trailers;
  private final int dataOffset;
  private final int contentOffset;

  /** Begins with the head's frame and the header of the content's, whatever the answer. */
  private byte[] frames;

  /**
   * @param head as {@link HpackEncoder} makes it, as the trailers are.
   */
  public AnswerTemplate(byte[] head, byte[] trailers) {
    this.trailers = trailers;
    dataOffset = FrameReader.HEADER_BYTES + head.length;
    contentOffset = dataOffset + FrameReader.HEADER_BYTES;
    frames = new byte[contentOffset + USUAL_CONTENT_BYTES];
    begin(0, FrameType.HEADERS, FrameFlag.END_HEADERS, head.length);
    System.arraycopy(head, 0, frames, FrameReader.HEADER_BYTES, head.length);
  }

  /**
   * Makes an answer, in place of the one before.
   *
   * @param content has it in its first {@code bytes}, which are at most {@link
   *     Setting#DEFAULT_MAX_FRAME_BYTES}.
   * @return how many bytes of {@link #frames} it takes.
   */
  int write(int streamId, byte[] content, int bytes) {
    final int end = contentOffset + bytes;
    final int room = end + FrameReader.HEADER_BYTES + trailers.length;
    if (room > frames.length) {
      frames = Arrays.copyOf(frames, 2 * room);
    }
    stream(0, streamId);
    begin(dataOffset, FrameType.DATA, 0, bytes);
    stream(dataOffset, streamId);
    System.arraycopy(content, 0, frames, contentOffset, bytes);
    final int last = FrameFlag.END_HEADERS | FrameFlag.END_STREAM;
    begin(end, FrameType.HEADERS, last, trailers.length);
    stream(end, streamId);
    System.arraycopy(trailers, 0, frames, end + FrameReader.HEADER_BYTES, trailers.length);
    return room;
  }

  /** The answer that was made last. */
  byte[] frames() {
    return frames;
  }

  private void begin(int at, int type, int flags, int payloadBytes) {
    frames[at] = (byte) (payloadBytes >>> 16);
    frames[at + 1] = (byte) (payloadBytes >>> 8);
    frames[at + 2] = (byte) payloadBytes;
    frames[at + TYPE_OFFSET] = (byte) type;
    frames[at + FLAGS_OFFSET] = (byte) flags;
  }

  private void stream(int at, int streamId) {
    frames[at + STREAM_OFFSET] = (byte) (streamId >>> 24);
    frames[at + STREAM_OFFSET + 1] = (byte) (streamId >>> 16);
    frames[at + STREAM_OFFSET + 2] = (byte) (streamId >>> 8);
    frames[at + STREAM_OFFSET + 3] = (byte) streamId;
  }
}
