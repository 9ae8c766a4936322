package dev.weir.proxy.http2;

import dev.weir.proxy.request.Glitch;
import io.netty.buffer.ByteBuf;

/** What comes of the peer's DATA, by the state of its stream. */
final class ReceivedContent {
  private static final int NONE = StreamSlots.NONE;

  private final Http2Connection connection;
  private final StreamSlots streams;
  private final StreamStates states;
  private final ClosedStreams closed;
  private final ReceiveWindows windows;
  private final FloodGuard conduct;

  ReceivedContent(Http2Connection connection) {
    this.connection = connection;
    streams = connection.streams;
    states = connection.states;
    closed = connection.states.closed();
    windows = connection.windows;
    conduct = connection.conduct;
  }

  /** Takes some content, and returns what the connection is to end with. */
  int read(int id, ByteBuf in, int offset, int bytes, int creditBytes, boolean endStream) {
    windows.connectionTook(creditBytes);
    final int stream = streams.find(id);
    if (stream == NONE || streams.has(stream, StreamSlots.RESET)) {
      return ofClosed(id);
    }
    if (streams.has(stream, StreamSlots.REMOTE_ENDED)) {
      return conduct.fault(stream, ErrorCode.STREAM_CLOSED);
    }
    if (!windows.take(stream, creditBytes)) {
      return conduct.fault(stream, ErrorCode.FLOW_CONTROL_ERROR, endStream);
    }
    if (streams.has(stream, StreamSlots.RELEASED)) {
      windows.give(stream, creditBytes);
      if (endStream) {
        states.remoteEnded(stream);
      }
      return ErrorCode.NO_ERROR;
    }
    if (!streams.has(stream, StreamSlots.HEAD_RECEIVED)
        || !streams.mayTake(stream, bytes, endStream)) {
      return conduct.fault(stream, ErrorCode.PROTOCOL_ERROR, endStream);
    }
    tell(stream, in, offset, bytes, creditBytes, endStream);
    return ErrorCode.NO_ERROR;
  }

  private void tell(
      int stream, ByteBuf in, int offset, int bytes, int creditBytes, boolean endStream) {
    final int id = streams.id(stream);
    if (endStream) {
      streams.flags[stream] |= StreamSlots.REMOTE_ENDED;
    }
    if (bytes > 0) {
      windows.hold(stream, bytes); // until it is known who has it
    }
    if (bytes > 0 || endStream) {
      final int held = connection.dataReceived(stream, in, offset, bytes, endStream);
      if (streams.id(stream) != id) {
        return; // has ended within the call, and what it held with it
      }
      if (!streams.has(stream, StreamSlots.RELEASED)) {
        windows.hold(stream, held - bytes);
        windows.give(stream, creditBytes - held);
      }
    } else {
      windows.give(stream, creditBytes);
    }
    if (endStream) {
      states.ended(stream);
    }
  }

  private int ofClosed(int id) {
    if ((id & 1) == 0 || closed.isIdle(id)) {
      return connection.goAways.isAbove(id) ? ErrorCode.NO_ERROR : ErrorCode.PROTOCOL_ERROR;
    }
    if (!closed.isRemembered(id)) {
      return conduct.ignored();
    }
    if (!closed.wasOpen(id)) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    if (closed.wasReset(id)) {
      return ErrorCode.NO_ERROR;
    }
    states.writeReset(id, ErrorCode.STREAM_CLOSED);
    return conduct.glitch(Glitch.STREAM_FAULT);
  }
}
