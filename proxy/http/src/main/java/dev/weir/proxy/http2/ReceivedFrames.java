package dev.weir.proxy.http2;

import dev.weir.proxy.request.Glitch;
import io.netty.buffer.ByteBuf;

/**
 * Processes each frame of the peer (RFC 9113, section 6): content and resets by the state of their
 * stream, settings, windows, and frames about the connection. Field blocks go to {@link
 * ReceivedBlocks}.
 */
final class ReceivedFrames implements FrameSink {
  private static final int NONE = StreamSlots.NONE;
  private static final int CONNECTION = 0;

  private final Http2Connection connection;
  private final StreamSlots streams;
  private final StreamStates states;
  private final ClosedStreams closed;
  private final ReceiveWindows windows;
  private final FloodGuard floodGuard;
  private final ReceivedBlocks blocks;

  /** Whether SETTINGS have arrived: no other frame may come before. */
  private boolean settingsHaveCome;

  ReceivedFrames(Http2Connection connection) {
    this.connection = connection;
    streams = connection.streams;
    states = connection.states;
    closed = states.closed();
    windows = connection.windows;
    floodGuard = connection.floodGuard;
    blocks = new ReceivedBlocks(connection);
  }

  @Override
  public void faultyHeaders() {
    blocks.nextIsFaulty();
  }

  @Override
  public int headers(int id, ByteBuf in, int offset, int bytes, boolean endStream) {
    if (!settingsHaveCome) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    floodGuard.payload(bytes);
    return blocks.read(id, in, offset, bytes, endStream);
  }

  @Override
  public int data(int id, ByteBuf in, int offset, int bytes, int creditBytes, boolean endStream) {
    floodGuard.payload(bytes);
    windows.connectionTook(creditBytes);
    final int stream = streams.find(id);
    if (stream == NONE || streams.has(stream, StreamSlots.RESET)) {
      return dataOfClosed(id);
    }
    if (streams.has(stream, StreamSlots.REMOTE_ENDED)) {
      return floodGuard.fault(stream, ErrorCode.STREAM_CLOSED);
    }
    if (!windows.take(stream, creditBytes)) {
      return floodGuard.fault(stream, ErrorCode.FLOW_CONTROL_ERROR, endStream);
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
      return floodGuard.fault(stream, ErrorCode.PROTOCOL_ERROR, endStream);
    }
    tellData(stream, in, offset, bytes, creditBytes, endStream);
    return ErrorCode.NO_ERROR;
  }

  private void tellData(
      int stream, ByteBuf in, int offset, int bytes, int creditBytes, boolean endStream) {
    final int id = streams.id(stream);
    if (endStream) {
      streams.flags[stream] |= StreamSlots.REMOTE_ENDED;
    }
    if (bytes > 0) {
      windows.hold(stream, bytes); // until it is known who has it
    }
    if (bytes > 0 || endStream) {
      final int held = streams.owners[stream].dataReceived(in, offset, bytes, endStream);
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

  private int dataOfClosed(int id) {
    if ((id & 1) == 0 || closed.isIdle(id)) {
      return connection.goAways.isAbove(id) ? ErrorCode.NO_ERROR : ErrorCode.PROTOCOL_ERROR;
    }
    if (!closed.isRemembered(id)) {
      return floodGuard.ignored();
    }
    if (!closed.wasOpen(id)) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    if (closed.wasReset(id)) {
      return ErrorCode.NO_ERROR;
    }
    states.writeReset(id, ErrorCode.STREAM_CLOSED);
    return floodGuard.glitch(Glitch.STREAM_FAULT);
  }

  @Override
  public int reset(int id, int errorCode) {
    connection.observer.resetReceived(errorCode);
    final int stream = streams.find(id);
    if (stream == NONE) {
      return isIdle(id) ? ErrorCode.PROTOCOL_ERROR : ErrorCode.NO_ERROR;
    }
    if (streams.has(stream, StreamSlots.RESET)) {
      return ErrorCode.NO_ERROR;
    }
    final boolean worksOnIt = !streams.has(stream, StreamSlots.RELEASED);
    final long lateNs = streams.lateNs[stream];
    final long oldNs = streams.oldNs[stream];
    final boolean unprocessed =
        connection.role == Role.CLIENT && errorCode == ErrorCode.REFUSED_STREAM;
    states.end(stream, unprocessed ? StreamEnd.UNPROCESSED : StreamEnd.PEER_RESET, errorCode);
    return worksOnIt && connection.role == Role.SERVER
        ? floodGuard.reset(lateNs, oldNs)
        : ErrorCode.NO_ERROR;
  }

  private boolean isIdle(int id) {
    return (id & 1) == 0 || closed.isIdle(id) && !connection.goAways.isAbove(id);
  }

  @Override
  public int setting(int id, long value) {
    settingsHaveCome = true;
    switch (id) {
      case Setting.HEADER_TABLE_SIZE -> {
        if (value < Setting.DEFAULT_HEADER_TABLE_BYTES) {
          connection.output.shrinkTable();
        }
      }
      case Setting.ENABLE_PUSH -> {
        if (value == 1 && connection.role == Role.CLIENT) {
          return ErrorCode.PROTOCOL_ERROR;
        }
      }
      case Setting.MAX_CONCURRENT_STREAMS -> connection.peer.maxStreams(value);
      case Setting.INITIAL_WINDOW_SIZE -> {
        return initialWindow((int) value);
      }
      case Setting.ENABLE_CONNECT_PROTOCOL -> connection.peer.connectProtocol(value == 1);
      default -> {
        // The others are about what we never send, or are not known.
      }
    }
    return ErrorCode.NO_ERROR;
  }

  private int initialWindow(int bytes) {
    final int change = bytes - connection.peer.initialWindow();
    if (change == 0) {
      return ErrorCode.NO_ERROR;
    }
    connection.peer.initialWindow(bytes);
    for (int stream = 0; stream < streams.slots(); stream++) {
      if (streams.id(stream) != 0 && !connection.queue.widen(stream, change)) {
        return ErrorCode.FLOW_CONTROL_ERROR;
      }
    }
    return connection.peer.areReceived()
        ? floodGuard.glitch(Glitch.WINDOW_CHANGE)
        : ErrorCode.NO_ERROR;
  }

  @Override
  public int settingsEnd() {
    final boolean first = !connection.peer.areReceived();
    settingsHaveCome = true;
    connection.peer.received();
    connection.output.settingsAck();
    connection.handler.controlFrame();
    connection.events.settingsReceived();
    return first ? ErrorCode.NO_ERROR : floodGuard.glitch(Glitch.SETTINGS);
  }

  @Override
  public int settingsAck() {
    if (connection.peer.isAsked()) {
      connection.peer.asked(false);
      connection.events.acknowledged();
      return ErrorCode.NO_ERROR;
    }
    if (connection.peer.isAckReceived()) {
      return windows.acknowledged() ? ErrorCode.NO_ERROR : floodGuard.glitch(Glitch.SETTINGS);
    }
    connection.peer.ackReceived();
    connection.timer.settingsTaken();
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int ping(long data) {
    connection.output.pingAck(data);
    connection.handler.controlFrame();
    return floodGuard.ping();
  }

  @Override
  public int pingAck(long data) {
    connection.goAways.pingAnswered(data);
    windows.growth().pingAnswered(data);
    connection.events.pingAnswered(data);
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int goAway(int lastStreamId, int errorCode) {
    connection.goAways.received(lastStreamId, errorCode);
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int windowUpdate(int id, int bytes) {
    final int error = floodGuard.windowUpdate();
    if (error != ErrorCode.NO_ERROR) {
      return error;
    }
    if (id == CONNECTION) {
      return connection.queue.widen(bytes) ? ErrorCode.NO_ERROR : ErrorCode.FLOW_CONTROL_ERROR;
    }
    final int stream = streams.find(id);
    if (stream == NONE) {
      return isIdle(id) ? ErrorCode.PROTOCOL_ERROR : ErrorCode.NO_ERROR;
    }
    if (streams.has(stream, StreamSlots.RESET) || connection.queue.credit(stream, bytes)) {
      return ErrorCode.NO_ERROR;
    }
    return floodGuard.fault(stream, ErrorCode.FLOW_CONTROL_ERROR);
  }

  @Override
  public int streamFault(int id, int errorCode) {
    final int stream = streams.find(id);
    if (stream != NONE) {
      return floodGuard.fault(stream, errorCode);
    }
    if (isIdle(id)) {
      return errorCode;
    }
    if (closed.isRemembered(id) && !closed.wasReset(id)) {
      states.writeReset(id, errorCode);
    }
    return floodGuard.glitch(Glitch.STREAM_FAULT);
  }

  @Override
  public int glitch(Glitch glitch) {
    return glitch == Glitch.IGNORED_FRAME ? floodGuard.ignored() : floodGuard.glitch(glitch);
  }
}
