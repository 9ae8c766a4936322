package dev.weir.proxy.http2;

import dev.weir.proxy.request.Glitch;
import io.netty.buffer.ByteBuf;

/**
 * Is told of each frame that a {@link FrameReader} has read. Bytes are lent for the length of the
 * call.
 *
 * <p>Each call returns {@link ErrorCode#NO_ERROR} to read on, or the code that the connection shall
 * end with: then nothing more is read. Whether a stream is open, and of whom, only the sink knows.
 */
public interface FrameSink {
  /** The field block that is told next comes with a fault that ends its stream. */
  default void faultyHeaders() {}

  /**
   * A whole field block has come, however many frames it took. It must be decoded whatever has
   * become of its stream, or the peer's dynamic table is lost.
   *
   * @param block has it in the {@code bytes} from {@code offset} on, wherever its indices are.
   */
  int headers(int streamId, ByteBuf block, int offset, int bytes, boolean endStream);

  /**
   * Some of a DATA frame has come: as much as is there, and all of it once {@code endStream}.
   *
   * @param in has it in the {@code bytes} from {@code offset} on, wherever its indices are; may be
   *     none.
   * @param creditBytes what these bytes take of the windows, padding included.
   */
  int data(int streamId, ByteBuf in, int offset, int bytes, int creditBytes, boolean endStream);

  /** The peer has ended a stream, with an {@link ErrorCode}. */
  int reset(int streamId, int errorCode);

  /**
   * One of the peer's settings, which may have this value.
   *
   * @param id of {@link Setting}, or an unknown one.
   * @param value from 0 to 2^32 - 1.
   */
  int setting(int id, long value);

  /** The settings of a frame have all been told, and are to be acknowledged. */
  int settingsEnd();

  /** The peer has taken our settings. */
  default int settingsAck() {
    return ErrorCode.NO_ERROR;
  }

  /** The peer answers a ping of ours, with the same eight bytes. */
  default int pingAck(long data) {
    return ErrorCode.NO_ERROR;
  }

  /** A frame was well-formed and yet of no use, or of little. */
  default int glitch(Glitch glitch) {
    return ErrorCode.NO_ERROR;
  }

  /** To be answered with the same eight bytes. */
  int ping(long data);

  /** The peer takes no streams of ours above that one. */
  int goAway(int lastStreamId, int errorCode);

  /**
   * The peer takes more content.
   *
   * @param streamId 0 for the connection.
   * @param bytes from 1 to 2^31 - 1.
   */
  int windowUpdate(int streamId, int bytes);

  /** A frame was wrong in a way that ends its stream alone, with that code. */
  int streamFault(int streamId, int errorCode);
}
