package dev.weir.proxy.http2;

/**
 * The begin and the end of the streams of one connection (RFC 9113, section 5.1). A stream's slot
 * is freed when both sides have ended it, by their last frame or a reset, and its user has let go
 * of it; and not while it still stands in a list of the connection's, as those do of which the peer
 * may not know that they are reset ({@link UnseenResets}).
 *
 * <p>A client that was answered before it had said all may still do so until the turn ends, as a
 * call's end mostly comes in the same read; then it is told not to.
 */
final class StreamStates {
  private static final int NONE = StreamSlots.NONE;

  private final Http2Connection connection;
  private final StreamSlots streams;
  private final ClosedStreams closed = new ClosedStreams();
  private final UnsentEnds unsentEnds;
  private final int maxPeerStreams;

  /** The first of the streams that were answered in this turn; the others hang on it. */
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

  /** The identifiers that were opened, and how their streams ended. */
  ClosedStreams closed() {
    return closed;
  }

  /** The streams that the peer may have open. */
  int maxPeerStreams() {
    return maxPeerStreams;
  }

  /** Whether the peer may open one more: one counts until the peer can know of its end. */
  boolean mayOpenPeerStream() {
    return streams.count() + unsentEnds.count(connection.output) < maxPeerStreams;
  }

  /** Opens a stream with an identifier above all before; returns its slot. */
  int open(int id) {
    connection.observer.streamOpened();
    closed.open(id);
    return streams.open(id, connection.peer.initialWindow(), connection.windows.streamBytes());
  }

  /** Answers a stream of the peer's that none is opened for with a reset. */
  void refuse(int id, int errorCode) {
    closed.open(id);
    writeReset(id, errorCode);
  }

  /** Resets a stream that may have no slot any more. */
  void writeReset(int id, int errorCode) {
    closed.reset(id);
    connection.output.reset(id, errorCode);
    connection.observer.resetSent(errorCode);
    connection.handler.controlFrame();
  }

  /** Whether both sides are done with a stream, be it by a reset. */
  boolean isClosed(int stream) {
    return streams.has(stream, StreamSlots.RESET)
        || streams.has(stream, StreamSlots.LOCAL_ENDED)
            && streams.has(stream, StreamSlots.REMOTE_ENDED);
  }

  /** We have said all we had to say on a stream, and it is in the output. */
  void localEnded(int stream) {
    streams.flags[stream] |= StreamSlots.LOCAL_ENDED;
    lingerIfAnswered(stream);
    freeIfDone(stream);
  }

  /** The peer has said all that it has to say on a stream. */
  void remoteEnded(int stream) {
    streams.flags[stream] |= StreamSlots.REMOTE_ENDED;
    freeIfDone(stream);
  }

  /** The peer has said all on a stream, and the user knows; both may be done with it by now. */
  void ended(int stream) {
    if (streams.id(stream) != 0) {
      freeIfDone(stream);
    }
  }

  /** The user has let go of a stream. */
  void released(int stream) {
    streams.flags[stream] |= StreamSlots.RELEASED;
    streams.owners[stream] = null;
    connection.windows.letGo(stream);
    lingerIfAnswered(stream);
    freeIfDone(stream);
  }

  /** We reset a stream, and its user knows. */
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

  /** A stream ends before its time, and its user is told; if it is by us, the peer is too. */
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

  /** The peer may work on a stream that we have reset, until it has seen that. */
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

  /** Both sides are done with a stream, by a reset. */
  private void close(int stream) {
    streams.flags[stream] |= StreamSlots.RESET;
    connection.queue.discard(stream);
    freeIfDone(stream);
  }

  /** A stream of which we have said all is looked at again when the turn ends. */
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
   * Resets the streams that were answered, and whose peer has not said all by the end of the turn.
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

  /** The turn has ended, and what was written is the system's, or waits there. */
  void turnEnded() {
    if (!connection.output.isFull()) {
      unsentEnds.clear();
    }
  }

  /** Frees the slot of a stream that both sides and the user are done with. */
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

  /**
   * The connection ends, and all its streams with it. No turn of theirs comes any more, and none is
   * opened.
   */
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
