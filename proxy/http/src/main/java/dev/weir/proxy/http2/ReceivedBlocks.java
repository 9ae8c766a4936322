package dev.weir.proxy.http2;

import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.hpack.FieldDecoder;
import dev.weir.proxy.http2.hpack.FieldKind;
import dev.weir.proxy.request.Glitch;
import io.netty.buffer.ByteBuf;

/**
 * Processes each field block of the peer by the state of its stream. Every block is decoded, as the
 * dynamic table changes with it; otherwise the connection ends.
 */
final class ReceivedBlocks {
  private static final int NONE = StreamSlots.NONE;

  private final Http2Connection connection;
  private final StreamSlots streams;
  private final StreamStates states;
  private final ClosedStreams closed;
  private final FloodGuard floodGuard;
  private final FieldDecoder decoder;

  /** Whether the next block ends its stream, whatever it contains. */
  private boolean faulty;

  ReceivedBlocks(Http2Connection connection) {
    this.connection = connection;
    streams = connection.streams;
    states = connection.states;
    closed = connection.states.closed();
    floodGuard = connection.floodGuard;
    decoder = new FieldDecoder(connection.role == Role.SERVER); // a service's answer is one of many
  }

  /** The next block has an error that ends its stream. */
  void nextIsFaulty() {
    faulty = true;
  }

  /**
   * Decodes a block; returns {@link ErrorCode#NO_ERROR}, or the error code with which the
   * connection has to end.
   */
  int read(int id, ByteBuf in, int offset, int bytes, boolean endStream) {
    final Http2Loop loop = connection.loop;
    assert !loop.blockIsLent : "fields are decoded while those of another block are lent";
    final FieldDecoder.Outcome outcome = decoder.decode(in, offset, bytes, loop.block);
    if (outcome != FieldDecoder.Outcome.DECODED) {
      return outcome == FieldDecoder.Outcome.MALFORMED
          ? ErrorCode.COMPRESSION_ERROR
          : ErrorCode.ENHANCE_YOUR_CALM;
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
      return ofOpen(stream, fields, malformed, endStream);
    }
    if ((id & 1) == 0) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    if (stream == NONE && closed.isIdle(id)) {
      return connection.role == Role.SERVER
          ? ofIdle(id, fields, malformed, endStream)
          : ErrorCode.PROTOCOL_ERROR;
    }
    return ofClosed(id);
  }

  private int ofClosed(int id) {
    if (connection.role == Role.CLIENT) {
      // An answer of two ends, or to a stream that we reset so many streams ago: others go on.
      return closed.isRemembered(id) && closed.wasReset(id)
          ? ErrorCode.NO_ERROR
          : floodGuard.ignored();
    }
    if (!closed.isRemembered(id) || !closed.wasOpen(id)) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    return closed.wasReset(id) ? ErrorCode.NO_ERROR : ErrorCode.STREAM_CLOSED;
  }

  /** Processes a block that opens a client's stream. */
  private int ofIdle(int id, FieldBlock fields, boolean malformed, boolean endStream) {
    if (connection.goAways.isAbove(id)) {
      return ErrorCode.NO_ERROR;
    }
    if (!states.mayOpenPeerStream()) {
      states.refuse(id, ErrorCode.REFUSED_STREAM);
      return connection.peer.isAckReceived()
          ? floodGuard.glitch(Glitch.EXCESS_STREAM)
          : ErrorCode.NO_ERROR;
    }
    if (malformed) {
      states.refuse(id, ErrorCode.PROTOCOL_ERROR);
      return floodGuard.glitch(Glitch.STREAM_FAULT);
    }
    if (!connection.events.mayOpen(streams.growthBytes())) {
      states.refuse(id, ErrorCode.REFUSED_STREAM);
      return ErrorCode.NO_ERROR; // its client is over its share, and may be many
    }
    if (id > Http2Connection.LAST_ID) {
      connection.drain();
    }
    final int stream = states.open(id);
    streams.oldNs[stream] = connection.loop.clock.nowNs() + FloodGuard.OLD_NS;
    streams.lateNs[stream] = Long.MAX_VALUE;
    streams.flags[stream] |= StreamSlots.HEAD_RECEIVED;
    return head(stream, fields, endStream);
  }

  private int ofOpen(int stream, FieldBlock fields, boolean malformed, boolean endStream) {
    if (streams.has(stream, StreamSlots.REMOTE_ENDED)) {
      return floodGuard.fault(stream, ErrorCode.STREAM_CLOSED);
    }
    if (streams.has(stream, StreamSlots.RELEASED)) {
      if (endStream) {
        states.remoteEnded(stream);
      }
      return ErrorCode.NO_ERROR;
    }
    if (malformed) {
      return floodGuard.fault(stream, ErrorCode.PROTOCOL_ERROR, endStream);
    }
    if (!streams.has(stream, StreamSlots.HEAD_RECEIVED)) {
      if (!isInformational(fields)) {
        streams.flags[stream] |= StreamSlots.HEAD_RECEIVED;
      } else if (endStream) {
        return floodGuard.fault(stream, ErrorCode.PROTOCOL_ERROR, endStream);
      }
      return head(stream, fields, endStream);
    }
    if (!endStream || fields.hasPseudo() || streams.isShort(stream)) {
      return floodGuard.fault(stream, ErrorCode.PROTOCOL_ERROR, endStream);
    }
    streams.flags[stream] |= StreamSlots.REMOTE_ENDED;
    streams.owners[stream].trailersReceived(fields);
    states.ended(stream);
    return ErrorCode.NO_ERROR;
  }

  /** Whether a response's head is informational (1xx). */
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
    connection.events.headReceived(stream, fields, endStream);
    if (!endStream || streams.id(stream) != id) {
      return ErrorCode.NO_ERROR;
    }
    if (streams.isShort(stream) && !streams.has(stream, StreamSlots.RESET)) {
      return floodGuard.fault(stream, ErrorCode.PROTOCOL_ERROR);
    }
    states.ended(stream);
    return ErrorCode.NO_ERROR;
  }
}
