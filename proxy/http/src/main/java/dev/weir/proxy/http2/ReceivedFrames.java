package dev.weir.proxy.http2;

import dev.weir.proxy.request.Glitch;
import io.netty.buffer.ByteBuf;

/**
 * What comes of each frame of the peer's (RFC 9113, section 6): fields and content by the state of
 * their stream, and what is about streams, windows and the connection itself.
 */
final class ReceivedFrames implements FrameSink {
  private static final int NONE = StreamSlots.NONE;
  private static final int CONNECTION = 0;

  private final Http2Connection connection;
  private final StreamSlots streams;
  private final ClosedStreams closed;
  private final FloodGuard conduct;
  private final ReceivedBlocks blocks;
  private final ReceivedContent content;
  private final ReceivedSettings settings;

  ReceivedFrames(Http2Connection connection) {
    this.connection = connection;
    streams = connection.streams;
    closed = connection.states.closed();
    conduct = connection.conduct;
    blocks = new ReceivedBlocks(connection);
    content = new ReceivedContent(connection);
    settings = new ReceivedSettings(connection);
  }

  @Override
  public void faultyHeaders() {
    blocks.nextIsFaulty();
  }

  @Override
  public int headers(int id, ByteBuf in, int offset, int bytes, boolean endStream) {
    if (!settings.haveBegun()) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    conduct.payload(bytes);
    return blocks.read(id, in, offset, bytes, endStream);
  }

  @Override
  public int data(int id, ByteBuf in, int offset, int bytes, int creditBytes, boolean endStream) {
    conduct.payload(bytes);
    return content.read(id, in, offset, bytes, creditBytes, endStream);
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
    connection.states.end(
        stream, unprocessed ? StreamEnd.UNPROCESSED : StreamEnd.PEER_RESET, errorCode);
    return worksOnIt && connection.role == Role.SERVER
        ? conduct.reset(lateNs, oldNs)
        : ErrorCode.NO_ERROR;
  }

  private boolean isIdle(int id) {
    return (id & 1) == 0 || closed.isIdle(id) && !connection.goAways.isAbove(id);
  }

  @Override
  public int setting(int id, long value) {
    return settings.read(id, value);
  }

  @Override
  public int settingsEnd() {
    return settings.end();
  }

  @Override
  public int settingsAck() {
    return settings.acknowledged();
  }

  @Override
  public int ping(long data) {
    connection.output.pingAck(data);
    connection.controlFrame();
    return conduct.ping();
  }

  @Override
  public int pingAck(long data) {
    connection.goAways.pingAnswered(data);
    connection.windows.growth().pingAnswered(data);
    connection.pingAnswered(data);
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int goAway(int lastStreamId, int errorCode) {
    connection.goAways.received(lastStreamId, errorCode);
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int windowUpdate(int id, int bytes) {
    final int error = conduct.windowUpdate();
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
    return conduct.fault(stream, ErrorCode.FLOW_CONTROL_ERROR);
  }

  @Override
  public int streamFault(int id, int errorCode) {
    final int stream = streams.find(id);
    if (stream != NONE) {
      return conduct.fault(stream, errorCode);
    }
    if (isIdle(id)) {
      return errorCode;
    }
    if (closed.isRemembered(id) && !closed.wasReset(id)) {
      connection.states.writeReset(id, errorCode);
    }
    return conduct.glitch(Glitch.STREAM_FAULT);
  }

  @Override
  public int glitch(Glitch glitch) {
    return glitch == Glitch.IGNORED_FRAME ? conduct.ignored() : conduct.glitch(glitch);
  }
}
