package dev.weir.proxy.http2;

/**
 * The beginning and the end of the streams of one connection (RFC 9113, section 5.1). A stream's
 * slot is freed when both sides have ended it, by their last frame or a reset, and its user has
 * released it; and not while it is in {@link UnseenResets}.
 *
 * <p>A client whose request was answered early may still end it until the turn ends, as a call's
 * end mostly arrives in the same read; then the stream is reset.
 */
final class StreamStates {
  private static final int NONE = StreamSlots.NONE;

  private final Http2Connection connection;
  private final StreamSlots streams;
  private final ClosedStreams closed = new ClosedStreams();
  private final UnsentEnds unsentEnds;
  private final int maxPeerStreams;

  /** The head of the list of streams that were answered in this turn. */
  private int turnHead = NONE;

  /**
   * @param maxPeerStreams that the peer may have open; 0 if it opens none, as a server.
   */
  StreamStates(Http2Connection connection, StreamSlots streams, int maxPeerStreams) {
    this.connection = connection;
    this.streams = streams;
    this.maxPeerStreams = maxPeerStreams;
    unsentEnds = new UnsentEnds(maxPeerStreams);
  }

  /** The ends of past streams. */
  ClosedStreams closed() {
    return closed;
  }

  /** The streams that the peer may have open. */
  int maxPeerStreams() {
    return maxPeerStreams;
  }

  /** Whether the peer may open one more; a stream counts until the peer can know of its end. */
  boolean mayOpenPeerStream() {
    return streams.count() + unsentEnds.count(connection.output) < maxPeerStreams;
  }

  /** Opens a stream with a higher identifier than all before; returns its slot. */
  int open(int id) {
    connection.observer.streamOpened();
    closed.open(id);
    return streams.open(id, connection.peer.initialWindow(), connection.windows.streamBytes());
  }

  /** Refuses a stream of the peer with a reset, without a slot. */
  void refuse(int id, int errorCode) {
    closed.open(id);
    writeReset(id, errorCode);
  }

  /** Writes a reset of a stream, which may have no slot. */
  void writeReset(int id, int errorCode) {
    closed.reset(id);
    connection.output.reset(id, errorCode);
    connection.observer.resetSent(errorCode);
    connection.handler.controlFrame();
  }

  /** Whether both sides have ended a stream, also by a reset. */
  boolean isClosed(int stream) {
    return streams.has(stream, StreamSlots.RESET)
        || streams.has(stream, StreamSlots.LOCAL_ENDED)
            && streams.has(stream, StreamSlots.REMOTE_ENDED);
  }

  /** We have ended our side of a stream, in the output. */
  void localEnded(int stream) {
    streams.flags[stream] |= StreamSlots.LOCAL_ENDED;
    lingerIfAnswered(stream);
    freeIfDone(stream);
  }

  /** The peer has ended its side of a stream. */
  void remoteEnded(int stream) {
    streams.flags[stream] |= StreamSlots.REMOTE_ENDED;
    freeIfDone(stream);
  }

  /**
   * The peer has ended its side of a stream, and the user knows; both sides may have ended by now.
   */
  void ended(int stream) {
    if (streams.id(stream) != 0) {
      freeIfDone(stream);
    }
  }

  /** The user has released a stream. */
  void released(int stream) {
    streams.flags[stream] |= StreamSlots.RELEASED;
    streams.owners[stream] = null;
    connection.windows.letGo(stream);
    lingerIfAnswered(stream);
    freeIfDone(stream);
  }

  /** Resets a stream at the user's request. */
  void reset(int stream, int errorCode) {
    if (connection.role == Role.SERVER || streams.has(stream, StreamSlots.HEAD_SENT)) {
      writeReset(streams.id(stream), errorCode);
      connection.events.streamReset(stream);
      keep(stream);
    } else {
      closed.reset(streams.id(stream)); // of one that nothing was sent of the peer knows nothing
    }
    close(stream);
  }

  /** Ends a stream early: its owner is told, and the peer too if we end it. */
  void end(int stream, StreamEnd how, int errorCode) {
    final StreamOwner owner = streams.owners[stream];
    if (how.isOurs()) {
      writeReset(streams.id(stream), errorCode);
      connection.events.streamReset(stream);
      keep(stream);
    }
    close(stream);
    if (owner != null) {
      owner.cancelled(how, errorCode);
    }
  }

  /** Keeps the slot of a stream that we have reset, until the peer has seen that. */
  private void keep(int stream) {
    if (connection.events.keepsResets()
        && !streams.has(stream, StreamSlots.REMOTE_ENDED)
        && !connection.isGoingAway()) {
      connection.unseenResets.add(stream);
      connection.windows.ended(stream);
      tellClosed(stream); // it counts for opening others only
    }
  }

  private void tellClosed(int stream) {
    if (!streams.has(stream, StreamSlots.CLOSED)) {
      streams.flags[stream] |= StreamSlots.CLOSED;
      connection.observer.streamClosed();
    }
  }

  /** Closes a stream by a reset. */
  private void close(int stream) {
    streams.flags[stream] |= StreamSlots.RESET;
    connection.queue.discard(stream);
    freeIfDone(stream);
  }

  /** Marks a stream of which we have ended our side, to be checked when the turn ends. */
  private void lingerIfAnswered(int stream) {
    if (connection.role == Role.SERVER
        && streams.has(stream, StreamSlots.LOCAL_ENDED)
        && (streams.has(stream, StreamSlots.RELEASED) || !streams.has(stream, StreamSlots.TUNNEL))
        && !streams.has(stream, StreamSlots.REMOTE_ENDED | StreamSlots.RESET)
        && !streams.has(stream, StreamSlots.IN_TURN)) {
      streams.flags[stream] |= StreamSlots.IN_TURN;
      streams.next[stream] = turnHead;
      turnHead = stream;
      connection.handler.joinTurn();
    }
  }

  /**
   * Resets the streams that were answered, and whose peer has not ended its side by the end of the
   * turn.
   */
  void endLingering() {
    while (turnHead != NONE) {
      final int stream = turnHead;
      turnHead = streams.next[stream];
      streams.flags[stream] &= ~StreamSlots.IN_TURN;
      if (!isClosed(stream)) {
        writeReset(streams.id(stream), ErrorCode.NO_ERROR);
        streams.flags[stream] |= StreamSlots.RESET;
      }
      freeIfDone(stream);
    }
  }

  /** The turn has ended, and the output was flushed. */
  void turnEnded() {
    if (!connection.output.isFull()) {
      unsentEnds.clear();
    }
  }

  /** Frees the slot of a stream that both sides have ended and the user has released. */
  void freeIfDone(int stream) {
    if (streams.has(stream, StreamSlots.RELEASED)
        && !streams.has(
            stream, StreamSlots.IN_TURN | StreamSlots.IN_RING | StreamSlots.RESET_UNSEEN)
        && isClosed(stream)) {
      if (!streams.has(stream, StreamSlots.RESET | StreamSlots.BROKEN_OFF)) {
        connection.floodGuard.streamCompleted();
      }
      tellClosed(stream);
      connection.windows.ended(stream);
      streams.free(stream);
      if (connection.output.isFull()) {
        unsentEnds.add(connection.output.writtenBytes());
      }
      if (connection.goAways.isGoing()) {
        connection.handler.joinTurn();
      }
      connection.events.roomChanged();
    }
  }

  /** Ends all streams with the connection; no stream is opened any more. */
  void endAll(int errorCode) {
    connection.queue.clear();
    turnHead = NONE;
    for (int stream = 0; stream < streams.slots(); stream++) {
      if (streams.id(stream) != 0) {
        streams.flags[stream] &= ~(StreamSlots.IN_RING | StreamSlots.IN_TURN);
        if (isClosed(stream)) {
          freeIfDone(stream);
        } else {
          end(stream, StreamEnd.CONNECTION_LOST, errorCode);
        }
      }
    }
    connection.unseenResets.seenAll();
  }
}
