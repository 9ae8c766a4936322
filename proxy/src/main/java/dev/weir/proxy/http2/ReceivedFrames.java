package dev.weir.proxy.http2;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * What comes of each frame of the peer's, by the state of its stream (RFC 9113, section 5.1). Every
 * field block is decoded, whatever becomes of it, or the connection ends.
 */
final class ReceivedFrames implements FrameSink {
  private static final int NONE = StreamSlots.NONE;
  private static final int CONNECTION = 0;

  private static final long EARLY_PING_NS = TimeUnit.SECONDS.toNanos(10);
  private static final long MAX_OVERHEAD_BYTES = 1 << 20;
  private static final byte[] NO_DEBUG_TEXT = {};
  private static final byte[] TOO_MANY_PINGS = "too_many_pings".getBytes(StandardCharsets.US_ASCII);

  private final Http2Connection connection;
  private final StreamSlots streams;
  private final ClosedStreams closed;
  private final FieldDecoder decoder = new FieldDecoder();
  private final GlitchBudget glitches;
  private final ResetBudget resets;

  private int receivedConnectionBytes;

  /** The next block ends its stream, whatever is in it. */
  private boolean faulty;

  private boolean settingsReceived;
  private boolean settingsAcknowledged;
  private long pingNs = Long.MIN_VALUE / 2;
  private long pingDataFrames = -1;
  private long idleFrames;
  private long windowUpdates;
  private long totalBytes;
  private long payloadBytes;
  private byte[] debugText = NO_DEBUG_TEXT;

  ReceivedFrames(Http2Connection connection) {
    this.connection = connection;
    streams = connection.streams;
    closed = connection.closed;
    glitches = new GlitchBudget(nowNs());
    resets = new ResetBudget(nowNs());
  }

  private long nowNs() {
    return connection.loop.clock.nowNs();
  }

  /** What the peer is told with the error that was returned last. */
  byte[] debugText() {
    return debugText;
  }

  /** Whether reading stops where it is. */
  boolean isPaused() {
    return connection.timer().isPaused();
  }

  /**
   * Takes note of bytes that were read, frames of whatever kind.
   *
   * @return {@link ErrorCode#ENHANCE_YOUR_CALM} if fields and content, of both sides, are a small
   *     part of what the peer has sent.
   */
  int read(int bytes) {
    totalBytes += bytes;
    final long useful = payloadBytes + connection.queue.contentBytes();
    return totalBytes / 8 > useful + MAX_OVERHEAD_BYTES
        ? ErrorCode.ENHANCE_YOUR_CALM
        : ErrorCode.NO_ERROR;
  }

  @Override
  public void faultyHeaders() {
    faulty = true;
  }

  @Override
  public int headers(int id, ByteBuf in, int offset, int bytes, boolean endStream) {
    if (!settingsReceived) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    final Http2Loop loop = connection.loop;
    assert !loop.blockIsLent : "fields are decoded while those of another block are lent";
    payloadBytes += bytes;
    final int error = decoder.decode(in, offset, bytes, loop.block);
    if (error != ErrorCode.NO_ERROR) {
      return error;
    }
    final boolean malformed = loop.block.malformed() || faulty;
    faulty = false;
    loop.blockIsLent = true;
    try {
      return decoded(id, loop.block, malformed, endStream);
    } finally {
      loop.blockIsLent = false;
    }
  }

  private int decoded(int id, FieldBlock fields, boolean malformed, boolean endStream) {
    final int stream = streams.find(id);
    if (stream != NONE && !streams.has(stream, StreamSlots.RESET)) {
      return blockOf(stream, fields, malformed, endStream);
    }
    if ((id & 1) == 0) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    if (stream == NONE && closed.isIdle(id)) {
      return connection.role == Role.SERVER
          ? opened(id, fields, malformed, endStream)
          : ErrorCode.PROTOCOL_ERROR;
    }
    return blockOfClosed(id);
  }

  private int blockOfClosed(int id) {
    if (!closed.isRemembered(id) || !closed.wasOpen(id)) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    return closed.wasReset(id) ? ErrorCode.NO_ERROR : ErrorCode.STREAM_CLOSED;
  }

  private int opened(int id, FieldBlock fields, boolean malformed, boolean endStream) {
    if (connection.goAways().isAbove(id)) {
      return ErrorCode.NO_ERROR;
    }
    if (!connection.mayOpenPeerStream()) {
      closed.open(id);
      closed.reset(id);
      connection.writeReset(id, ErrorCode.REFUSED_STREAM);
      return settingsAcknowledged ? glitch(Glitch.EXCESS_STREAM) : ErrorCode.NO_ERROR;
    }
    if (malformed) {
      closed.open(id);
      closed.reset(id);
      connection.writeReset(id, ErrorCode.PROTOCOL_ERROR);
      return glitch(Glitch.STREAM_FAULT);
    }
    if (id > Http2Connection.LAST_ID) {
      connection.drain();
    }
    final int stream = connection.openStream(id);
    streams.openedNs[stream] = nowNs();
    streams.flags[stream] |= StreamSlots.HEAD_RECEIVED;
    return head(stream, fields, endStream);
  }

  /** A block of a stream that is open. */
  private int blockOf(int stream, FieldBlock fields, boolean malformed, boolean endStream) {
    if (streams.has(stream, StreamSlots.REMOTE_ENDED)) {
      return fault(stream, ErrorCode.STREAM_CLOSED);
    }
    if (streams.has(stream, StreamSlots.RELEASED)) {
      return dropped(stream, endStream);
    }
    if (malformed) {
      return fault(stream, ErrorCode.PROTOCOL_ERROR);
    }
    if (!streams.has(stream, StreamSlots.HEAD_RECEIVED)) {
      if (!isInformational(fields)) {
        streams.flags[stream] |= StreamSlots.HEAD_RECEIVED;
      } else if (endStream) {
        return fault(stream, ErrorCode.PROTOCOL_ERROR);
      }
      return head(stream, fields, endStream);
    }
    if (!endStream || fields.hasPseudo() || isShort(stream)) {
      return fault(stream, ErrorCode.PROTOCOL_ERROR);
    }
    streams.flags[stream] |= StreamSlots.REMOTE_ENDED;
    connection.trailersReceived(stream, fields);
    return ended(stream);
  }

  /** Whether a response's head is one before the final one: its status is 1xx. */
  private static boolean isInformational(FieldBlock fields) {
    final int status = fields.find(FieldKind.STATUS, 0);
    return status >= 0
        && fields.valueLength(status) == 3
        && fields.bytes().getByte(fields.valueOffset(status)) == '1';
  }

  private int head(int stream, FieldBlock fields, boolean endStream) {
    final int id = streams.id(stream);
    if (endStream) {
      streams.flags[stream] |= StreamSlots.REMOTE_ENDED;
    }
    connection.headReceived(stream, fields, endStream);
    if (streams.id(stream) != id) {
      return ErrorCode.NO_ERROR;
    }
    if (endStream && isShort(stream) && !streams.has(stream, StreamSlots.RESET)) {
      return fault(stream, ErrorCode.PROTOCOL_ERROR);
    }
    return endStream ? ended(stream) : ErrorCode.NO_ERROR;
  }

  /** Whether content is missing that the head has promised. */
  private boolean isShort(int stream) {
    return streams.has(stream, StreamSlots.LENGTH_KNOWN) && streams.contentLeft[stream] != 0;
  }

  /** The peer has said all on a stream, and the user knows. */
  private int ended(int stream) {
    if (streams.id(stream) != 0) {
      connection.freeIfDone(stream);
    }
    return ErrorCode.NO_ERROR;
  }

  /** A stream has ended well. */
  void streamCompleted() {
    resets.streamCompleted();
  }

  /** What still comes for a stream that nobody listens to any more. */
  private int dropped(int stream, boolean endStream) {
    if (endStream) {
      connection.remoteEnded(stream);
    }
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int data(int id, ByteBuf in, int offset, int bytes, int creditBytes, boolean endStream) {
    creditConnection(creditBytes);
    payloadBytes += bytes;
    final int stream = streams.find(id);
    if (stream == NONE || streams.has(stream, StreamSlots.RESET)) {
      return dataOfClosed(id);
    }
    if (streams.has(stream, StreamSlots.REMOTE_ENDED)) {
      return fault(stream, ErrorCode.STREAM_CLOSED);
    }
    streams.receiveWindow[stream] -= creditBytes;
    if (streams.receiveWindow[stream] < 0) {
      return fault(stream, ErrorCode.FLOW_CONTROL_ERROR);
    }
    if (streams.has(stream, StreamSlots.RELEASED)) {
      connection.giveWindow(stream, creditBytes);
      return dropped(stream, endStream);
    }
    if (!streams.has(stream, StreamSlots.HEAD_RECEIVED)) {
      return fault(stream, ErrorCode.PROTOCOL_ERROR);
    }
    if (streams.has(stream, StreamSlots.LENGTH_KNOWN)) {
      streams.contentLeft[stream] -= bytes;
      if (streams.contentLeft[stream] < 0 || endStream && streams.contentLeft[stream] != 0) {
        return fault(stream, ErrorCode.PROTOCOL_ERROR);
      }
    }
    content(stream, in, offset, bytes, creditBytes, endStream);
    return ErrorCode.NO_ERROR;
  }

  private void content(
      int stream, ByteBuf in, int offset, int bytes, int creditBytes, boolean endStream) {
    final int id = streams.id(stream);
    if (endStream) {
      streams.flags[stream] |= StreamSlots.REMOTE_ENDED;
    }
    if (bytes > 0) {
      connection.hold(stream, bytes); // until it is known who has it
    }
    if (bytes > 0 || endStream) {
      final int held = connection.dataReceived(stream, in, offset, bytes, endStream);
      if (streams.id(stream) != id) {
        return; // has ended within the call, and what it held with it
      }
      if (!streams.has(stream, StreamSlots.RELEASED)) {
        connection.hold(stream, held - bytes);
        connection.giveWindow(stream, creditBytes - held);
      }
    } else {
      connection.giveWindow(stream, creditBytes);
    }
    if (endStream) {
      ended(stream);
    }
  }

  private int dataOfClosed(int id) {
    if ((id & 1) == 0 || closed.isIdle(id)) {
      return connection.goAways().isAbove(id) ? ErrorCode.NO_ERROR : ErrorCode.PROTOCOL_ERROR;
    }
    if (!closed.isRemembered(id)) {
      return glitch(Glitch.IGNORED_FRAME);
    }
    if (!closed.wasOpen(id)) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    if (closed.wasReset(id)) {
      return ErrorCode.NO_ERROR;
    }
    connection.writeReset(id, ErrorCode.STREAM_CLOSED);
    closed.reset(id);
    return glitch(Glitch.STREAM_FAULT);
  }

  /** The connection's window bounds nothing: it is opened again as soon as half of it is used. */
  private void creditConnection(int bytes) {
    receivedConnectionBytes += bytes;
    if (receivedConnectionBytes >= Http2Connection.CONNECTION_WINDOW_BYTES / 2) {
      connection.output.windowUpdate(CONNECTION, receivedConnectionBytes);
      receivedConnectionBytes = 0;
      connection.joinTurn();
    }
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
    final long openedNs = streams.openedNs[stream];
    connection.endStream(
        stream,
        connection.role == Role.CLIENT && errorCode == ErrorCode.REFUSED_STREAM
            ? StreamEnd.UNPROCESSED
            : StreamEnd.PEER_RESET,
        errorCode);
    if (worksOnIt && connection.role == Role.SERVER && resets.isExceededBy(openedNs, nowNs())) {
      connection.pauseReading();
      return glitch(Glitch.RAPID_RESET);
    }
    return ErrorCode.NO_ERROR;
  }

  private boolean isIdle(int id) {
    return (id & 1) == 0 || closed.isIdle(id) && !connection.goAways().isAbove(id);
  }

  @Override
  public int setting(int id, long value) {
    settingsReceived = true;
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
      if (streams.id(stream) != 0) {
        final long window = (long) streams.sendWindow[stream] + change;
        if (window > Integer.MAX_VALUE) {
          return ErrorCode.FLOW_CONTROL_ERROR;
        }
        streams.sendWindow[stream] = (int) window;
        connection.queue.join(stream);
      }
    }
    return connection.peer.areReceived() ? glitch(Glitch.WINDOW_CHANGE) : ErrorCode.NO_ERROR;
  }

  @Override
  public int settingsEnd() {
    final boolean first = !connection.peer.areReceived();
    settingsReceived = true;
    connection.peer.received();
    connection.output.settingsAck();
    connection.controlFrame();
    connection.settingsReceived();
    return first ? ErrorCode.NO_ERROR : glitch(Glitch.SETTINGS);
  }

  @Override
  public int settingsAck() {
    if (settingsAcknowledged) {
      return glitch(Glitch.SETTINGS);
    }
    settingsAcknowledged = true;
    connection.timer().settingsTaken();
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int ping(long data) {
    connection.output.pingAck(data);
    connection.controlFrame();
    final long nowNs = nowNs();
    final long frames = connection.queue.dataFrames();
    final boolean early = nowNs - pingNs < EARLY_PING_NS && frames == pingDataFrames;
    pingNs = nowNs;
    pingDataFrames = frames;
    if (!early) {
      return ErrorCode.NO_ERROR;
    }
    final int error = glitch(Glitch.PING);
    if (error != ErrorCode.NO_ERROR) {
      debugText = TOO_MANY_PINGS;
    }
    return error;
  }

  @Override
  public int pingAck(long data) {
    connection.goAways().pingAnswered(data);
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int goAway(int lastStreamId, int errorCode) {
    connection.goAways().received(lastStreamId, errorCode);
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int windowUpdate(int id, int bytes) {
    windowUpdates++;
    final long explained = 5 + 2 * (closed.count() + 10 * connection.queue.dataFrames());
    if (windowUpdates > explained) {
      final int error = glitch(Glitch.WINDOW_UPDATE);
      if (error != ErrorCode.NO_ERROR) {
        return error;
      }
    }
    if (id == CONNECTION) {
      return connection.queue.widen(bytes) ? ErrorCode.NO_ERROR : ErrorCode.FLOW_CONTROL_ERROR;
    }
    final int stream = streams.find(id);
    if (stream == NONE) {
      return isIdle(id) ? ErrorCode.PROTOCOL_ERROR : ErrorCode.NO_ERROR;
    }
    if (streams.has(stream, StreamSlots.RESET)) {
      return ErrorCode.NO_ERROR;
    }
    final long window = (long) streams.sendWindow[stream] + bytes;
    if (window > Integer.MAX_VALUE) {
      return fault(stream, ErrorCode.FLOW_CONTROL_ERROR);
    }
    streams.sendWindow[stream] = (int) window;
    connection.queue.join(stream);
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int streamFault(int id, int errorCode) {
    final int stream = streams.find(id);
    if (stream != NONE) {
      return fault(stream, errorCode);
    }
    if (isIdle(id)) {
      return errorCode;
    }
    if (closed.isRemembered(id) && !closed.wasReset(id)) {
      connection.writeReset(id, errorCode);
      closed.reset(id);
    }
    return glitch(Glitch.STREAM_FAULT);
  }

  /** A message is none, though its fields may all be: what the connection has to end with. */
  int malformed(int stream) {
    return fault(stream, ErrorCode.PROTOCOL_ERROR);
  }

  /** Resets a stream for a fault of the peer's. */
  private int fault(int stream, int errorCode) {
    if (!streams.has(stream, StreamSlots.RESET)) {
      connection.endStream(stream, StreamEnd.FAULT, errorCode);
    }
    return glitch(Glitch.STREAM_FAULT);
  }

  @Override
  public int glitch(Glitch glitch) {
    if (glitch == Glitch.IGNORED_FRAME && ++idleFrames <= 100L * (closed.count() + 1)) {
      return ErrorCode.NO_ERROR;
    }
    connection.observer.glitch(glitch);
    glitches.take(glitch.units(), nowNs());
    if (glitches.isEmpty()) {
      return ErrorCode.ENHANCE_YOUR_CALM;
    }
    if (glitches.isLow()) {
      connection.drain();
    }
    return ErrorCode.NO_ERROR;
  }
}
