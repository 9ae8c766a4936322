package dev.weir.proxy.http2;

import dev.weir.proxy.request.Glitch;
import io.netty.buffer.ByteBuf;

/**
 * Receives each frame that a {@link FrameReader} has read. Bytes are lent for the call.
 *
 * <p>Each call returns {@link ErrorCode#NO_ERROR} to read on, or the error code with which the
 * connection has to end: then nothing more is read. Only the sink knows the states of streams.
 */
public interface FrameSink {
  /** The next field block comes with an error that ends its stream. */
  default void faultyHeaders() {}

  /**
   * A complete field block. It must be decoded in any state of its stream, as the dynamic table
   * changes with it.
   *
   * @param block has it in the {@code bytes} from {@code offset} on, wherever its indices are.
   */
  int headers(int streamId, ByteBuf block, int offset, int bytes, boolean endStream);

  /**
   * A part of a DATA frame, as much as has arrived; the last part if {@code endStream}.
   *
   * @param in has it in the {@code bytes} from {@code offset} on, wherever its indices are; may be
   *     empty.
   * @param creditBytes what the part takes of the flow-control windows, padding included.
   */
  int data(int streamId, ByteBuf in, int offset, int bytes, int creditBytes, boolean endStream);

  /** RST_STREAM, with an {@link ErrorCode}. */
  int reset(int streamId, int errorCode);

  /**
   * One of the peer's settings, with a legal value.
   *
   * @param id of {@link Setting}, or an unknown one.
   * @param value from 0 to 2^32 - 1.
   */
  int setting(int id, long value);

  /** All settings of a frame have been passed on, and are to be acknowledged. */
  int settingsEnd();

  /** The peer has acknowledged our settings. */
  default int settingsAck() {
    return ErrorCode.NO_ERROR;
  }

  /** The peer answers our ping, with the same eight bytes. */
  default int pingAck(long data) {
    return ErrorCode.NO_ERROR;
  }

  /** A frame was well-formed, and of little or no use. */
  default int glitch(Glitch glitch) {
    return ErrorCode.NO_ERROR;
  }

  /** A ping, to be answered with the same eight bytes. */
  int ping(long data);

  /** GOAWAY: the peer processes no streams of ours above that one. */
  int goAway(int lastStreamId, int errorCode);

  /**
   * WINDOW_UPDATE.
   *
   * @param streamId 0 for the connection.
   * @param bytes from 1 to 2^31 - 1.
   */
  int windowUpdate(int streamId, int bytes);

  /** A frame had an error that ends only its stream, with that code. */
  int streamFault(int streamId, int errorCode);
}
