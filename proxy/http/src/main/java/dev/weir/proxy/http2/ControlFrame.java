package dev.weir.proxy.http2;

import dev.weir.proxy.request.Glitch;
import io.netty.buffer.ByteBuf;

/** Reads frames that have neither content nor fields, each of them completely. */
final class ControlFrame {
  /** The bits of a stream's identifier and of a window's increment; the highest bit is reserved. */
  static final int STREAM_MASK = Integer.MAX_VALUE;

  /** The length of a dependency and a weight, in PRIORITY and HEADERS. */
  static final int PRIORITY_BYTES = 5;

  private static final int SETTING_BYTES = Short.BYTES + Integer.BYTES;

  /** A frame with more settings counts as a glitch. */
  private static final int MANY_SETTINGS = 32;

  private static final long UNSIGNED = 0xffff_ffffL;
  private static final int CONNECTION = 0;

  private ControlFrame() {}

  /**
   * Checks a frame and passes it to the sink.
   *
   * @param in has the payload in the {@code bytes} from {@code offset} on.
   * @return {@link ErrorCode#NO_ERROR}, or the error code with which the connection has to end.
   */
  static int read(
      int type, int flags, int streamId, ByteBuf in, int offset, int bytes, FrameSink sink) {
    return switch (type) {
      case FrameType.PRIORITY -> priority(streamId, in, offset, bytes, sink);
      case FrameType.RST_STREAM -> reset(streamId, in, offset, bytes, sink);
      case FrameType.SETTINGS -> settings(flags, streamId, in, offset, bytes, sink);
      case FrameType.PING -> ping(flags, streamId, in, offset, bytes, sink);
      case FrameType.GOAWAY -> goAway(streamId, in, offset, bytes, sink);
      case FrameType.WINDOW_UPDATE -> windowUpdate(streamId, in, offset, bytes, sink);
      default -> ErrorCode.PROTOCOL_ERROR; // PUSH_PROMISE
    };
  }

  private static int reset(int streamId, ByteBuf in, int offset, int bytes, FrameSink sink) {
    if (streamId == CONNECTION) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    return bytes == Integer.BYTES
        ? sink.reset(streamId, in.getInt(offset))
        : ErrorCode.FRAME_SIZE_ERROR;
  }

  private static int ping(
      int flags, int streamId, ByteBuf in, int offset, int bytes, FrameSink sink) {
    if (streamId != CONNECTION) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    if (bytes != Long.BYTES) {
      return ErrorCode.FRAME_SIZE_ERROR;
    }
    return (flags & FrameFlag.ACK) != 0
        ? sink.pingAck(in.getLong(offset))
        : sink.ping(in.getLong(offset));
  }

  private static int goAway(int streamId, ByteBuf in, int offset, int bytes, FrameSink sink) {
    if (streamId != CONNECTION) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    return bytes < 2 * Integer.BYTES
        ? ErrorCode.FRAME_SIZE_ERROR
        : sink.goAway(in.getInt(offset) & STREAM_MASK, in.getInt(offset + Integer.BYTES));
  }

  private static int priority(int streamId, ByteBuf in, int offset, int bytes, FrameSink sink) {
    if (streamId == CONNECTION) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    if (bytes != PRIORITY_BYTES) {
      return sink.streamFault(streamId, ErrorCode.FRAME_SIZE_ERROR);
    }
    return (in.getInt(offset) & STREAM_MASK) == streamId
        ? sink.streamFault(streamId, ErrorCode.PROTOCOL_ERROR)
        : sink.glitch(Glitch.IGNORED_FRAME);
  }

  private static int settings(
      int flags, int streamId, ByteBuf in, int offset, int bytes, FrameSink sink) {
    if (streamId != CONNECTION) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    if ((flags & FrameFlag.ACK) != 0) {
      return bytes == 0 ? sink.settingsAck() : ErrorCode.FRAME_SIZE_ERROR;
    }
    if (bytes % SETTING_BYTES != 0) {
      return ErrorCode.FRAME_SIZE_ERROR;
    }
    if (bytes > MANY_SETTINGS * SETTING_BYTES) {
      final int error = sink.glitch(Glitch.LONG_SETTINGS);
      if (error != ErrorCode.NO_ERROR) {
        return error;
      }
    }
    for (int at = offset; at < offset + bytes; at += SETTING_BYTES) {
      final int id = in.getUnsignedShort(at);
      final long value = in.getInt(at + Short.BYTES) & UNSIGNED;
      int error = Setting.check(id, value);
      if (error == ErrorCode.NO_ERROR) {
        error = sink.setting(id, value);
      }
      if (error != ErrorCode.NO_ERROR) {
        return error;
      }
    }
    return sink.settingsEnd();
  }

  private static int windowUpdate(int streamId, ByteBuf in, int offset, int bytes, FrameSink sink) {
    if (bytes != Integer.BYTES) {
      return ErrorCode.FRAME_SIZE_ERROR;
    }
    final int more = in.getInt(offset) & STREAM_MASK;
    if (more > 0) {
      return sink.windowUpdate(streamId, more);
    }
    return streamId == CONNECTION
        ? ErrorCode.PROTOCOL_ERROR
        : sink.streamFault(streamId, ErrorCode.PROTOCOL_ERROR);
  }
}
