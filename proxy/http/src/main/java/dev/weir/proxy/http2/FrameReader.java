package dev.weir.proxy.http2;

import dev.weir.proxy.request.Glitch;
import io.netty.buffer.ByteBuf;

/**
 * Reads what a peer sends after the preface: splits the bytes into frames, checks what RFC 9113
 * requires of each, and passes it to a {@link FrameSink}. Frames have at most 16,384 bytes, as no
 * larger size is announced; reserved bits are ignored.
 *
 * <p>DATA is passed on as it arrives. Field blocks are passed on completely: one in a single frame
 * is lent where it is, others are copied together. Every other frame waits in the caller's buffer
 * until it is complete. PRIORITY and unknown frames are checked and dropped, and PUSH_PROMISE is an
 * error, as neither side allows it.
 *
 * <p>Used by one event loop. An error of the peer is a returned value; after it nothing may be read
 * any more. {@link #close} must be called in the end.
 */
public final class FrameReader {
  /** The length of a frame header: length, type, flags and stream. */
  public static final int HEADER_BYTES = 9;

  /** The most frames of one field block; more are an attack. */
  public static final int MAX_BLOCK_FRAMES = 8;

  private static final int MAX_FRAME_BYTES = Setting.DEFAULT_MAX_FRAME_BYTES;

  /** The most bytes of a DATA frame that counts as tiny; the prefix of a gRPC message has five. */
  private static final int TINY_DATA_BYTES = 4;

  private static final int MIN_BLOCK_BYTES = 1024;
  private static final int NONE = 0;

  private final int maxBlockBytes;

  // What is left of a frame of which a part has been told, or left out.
  private int dataStreamId = NONE;
  private boolean dataEndsStream;
  private int contentLeft;
  private int skipLeft;

  // The field block that the next frame must go on with.
  private int blockStreamId = NONE;
  private boolean blockEndsStream;
  private boolean blockDependsOnItself;
  private int blockFrames;
  private ByteBuf block;

  /**
   * @param maxBlockBytes of an encoded field block; 16,384 or more.
   */
  public FrameReader(int maxBlockBytes) {
    this.maxBlockBytes = maxBlockBytes;
  }

  /**
   * Reads the next frame, or as much of it as has arrived. Call it again while it has read
   * something.
   *
   * @return {@link ErrorCode#NO_ERROR}, or the error code with which the connection has to end.
   */
  public int read(ByteBuf in, FrameSink sink) {
    if (dataStreamId != NONE) {
      return dataPart(in, 0, sink);
    }
    if (skipLeft > 0) {
      skip(in);
      return ErrorCode.NO_ERROR;
    }
    if (in.readableBytes() < HEADER_BYTES) {
      return ErrorCode.NO_ERROR;
    }
    final int start = in.readerIndex();
    // Length, type, flags and all but a byte of the stream at once: each read checks the buffer.
    final long head = in.getLong(start);
    final int bytes = (int) (head >>> 40);
    final int type = (int) (head >>> 32) & 0xff;
    final int flags = (int) (head >>> 24) & 0xff;
    final int streamId =
        ((int) head << 8 | in.getUnsignedByte(start + Long.BYTES)) & ControlFrame.STREAM_MASK;
    if (bytes > MAX_FRAME_BYTES) {
      return ErrorCode.FRAME_SIZE_ERROR;
    }
    if (blockStreamId != NONE && (type != FrameType.CONTINUATION || streamId != blockStreamId)) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    if (type == FrameType.DATA) {
      return startData(in, bytes, flags, streamId, sink);
    }
    if (type > FrameType.CONTINUATION) {
      in.skipBytes(HEADER_BYTES);
      skipLeft = bytes;
      skip(in);
      return sink.glitch(Glitch.IGNORED_FRAME);
    }
    if (in.readableBytes() < HEADER_BYTES + bytes) {
      return ErrorCode.NO_ERROR;
    }
    in.skipBytes(HEADER_BYTES + bytes);
    return whole(type, flags, streamId, in, start + HEADER_BYTES, bytes, sink);
  }

  /** Whether a field block is incomplete. */
  public boolean isInBlock() {
    return blockStreamId != NONE;
  }

  /** Ends reading, and releases what was gathered. */
  public void close() {
    if (block != null) {
      block.release();
      block = null;
    }
    blockStreamId = NONE;
  }

  private void skip(ByteBuf in) {
    final int bytes = Math.min(skipLeft, in.readableBytes());
    in.skipBytes(bytes);
    skipLeft -= bytes;
  }

  private int startData(ByteBuf in, int bytes, int flags, int streamId, FrameSink sink) {
    final int start = in.readerIndex();
    final boolean padded = (flags & FrameFlag.PADDED) != 0;
    if (streamId == NONE) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    if (padded && bytes == 0) {
      return ErrorCode.FRAME_SIZE_ERROR;
    }
    if (padded && in.readableBytes() == HEADER_BYTES) {
      return ErrorCode.NO_ERROR;
    }
    final int padBytes = padded ? in.getUnsignedByte(start + HEADER_BYTES) : 0;
    final int padLengthBytes = padded ? 1 : 0;
    if (padLengthBytes + padBytes > bytes) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    in.skipBytes(HEADER_BYTES + padLengthBytes);
    dataStreamId = streamId;
    dataEndsStream = (flags & FrameFlag.END_STREAM) != 0;
    contentLeft = bytes - padLengthBytes - padBytes;
    skipLeft = padBytes;
    if (contentLeft <= TINY_DATA_BYTES && !dataEndsStream) {
      final int error = sink.glitch(contentLeft == 0 ? Glitch.EMPTY_DATA : Glitch.TINY_DATA);
      if (error != ErrorCode.NO_ERROR) {
        return error;
      }
    }
    return dataPart(in, padLengthBytes, sink);
  }

  private int dataPart(ByteBuf in, int padLengthBytes, FrameSink sink) {
    final int streamId = dataStreamId;
    final int offset = in.readerIndex();
    final int bytes = Math.min(contentLeft, in.readableBytes());
    in.skipBytes(bytes);
    contentLeft -= bytes;
    final int skipBefore = skipLeft;
    if (contentLeft == 0) {
      skip(in);
    }
    final boolean whole = contentLeft == 0 && skipLeft == 0;
    if (whole) {
      dataStreamId = NONE;
    }
    final int creditBytes = padLengthBytes + bytes + skipBefore - skipLeft;
    return sink.data(streamId, in, offset, bytes, creditBytes, whole && dataEndsStream);
  }

  private int whole(
      int type, int flags, int streamId, ByteBuf in, int offset, int bytes, FrameSink sink) {
    return switch (type) {
      case FrameType.HEADERS -> headers(flags, streamId, in, offset, bytes, sink);
      case FrameType.CONTINUATION -> continuation(flags, streamId, in, offset, bytes, sink);
      default -> ControlFrame.read(type, flags, streamId, in, offset, bytes, sink);
    };
  }

  private int headers(int flags, int streamId, ByteBuf in, int offset, int bytes, FrameSink sink) {
    final boolean padded = (flags & FrameFlag.PADDED) != 0;
    final boolean prioritised = (flags & FrameFlag.PRIORITY) != 0;
    final int before = (padded ? 1 : 0) + (prioritised ? ControlFrame.PRIORITY_BYTES : 0);
    if (streamId == NONE) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    if (bytes < before) {
      return ErrorCode.FRAME_SIZE_ERROR;
    }
    final int blockBytes = bytes - before - (padded ? in.getUnsignedByte(offset) : 0);
    if (blockBytes < 0) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    final int blockOffset = offset + before;
    final boolean dependsOnItself =
        prioritised
            && (in.getInt(blockOffset - ControlFrame.PRIORITY_BYTES) & ControlFrame.STREAM_MASK)
                == streamId;
    final boolean endStream = (flags & FrameFlag.END_STREAM) != 0;
    if ((flags & FrameFlag.END_HEADERS) != 0) {
      return block(streamId, in, blockOffset, blockBytes, endStream, dependsOnItself, sink);
    }
    blockStreamId = streamId;
    blockEndsStream = endStream;
    blockDependsOnItself = dependsOnItself;
    blockFrames = 0;
    block = in.alloc().buffer(Math.max(MIN_BLOCK_BYTES, 2 * blockBytes));
    return gather(in, blockOffset, blockBytes);
  }

  private int continuation(
      int flags, int streamId, ByteBuf in, int offset, int bytes, FrameSink sink) {
    if (blockStreamId == NONE) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    int error = gather(in, offset, bytes);
    if (error == ErrorCode.NO_ERROR && bytes == 0) {
      error = sink.glitch(Glitch.EMPTY_CONTINUATION);
    }
    if (error != ErrorCode.NO_ERROR || (flags & FrameFlag.END_HEADERS) == 0) {
      return error;
    }
    final ByteBuf gathered = block;
    block = null;
    blockStreamId = NONE;
    try {
      return block(
          streamId,
          gathered,
          gathered.readerIndex(),
          gathered.readableBytes(),
          blockEndsStream,
          blockDependsOnItself,
          sink);
    } finally {
      gathered.release();
    }
  }

  private int gather(ByteBuf in, int offset, int bytes) {
    blockFrames++;
    if (blockFrames > MAX_BLOCK_FRAMES || block.readableBytes() + bytes > maxBlockBytes) {
      return ErrorCode.ENHANCE_YOUR_CALM;
    }
    block.writeBytes(in, offset, bytes);
    return ErrorCode.NO_ERROR;
  }

  private static int block(
      int streamId,
      ByteBuf from,
      int offset,
      int bytes,
      boolean endStream,
      boolean dependsOnItself,
      FrameSink sink) {
    if (dependsOnItself) {
      sink.faultyHeaders();
    }
    return sink.headers(streamId, from, offset, bytes, endStream);
  }
}
