package dev.weir.proxy.http2;

/**
 * The orderly end of one connection (RFC 9113, section 6.8). As a server we send a GOAWAY with the
 * highest identifier, and a ping. When the ping is answered, all streams that the peer opened
 * before it knew have arrived, and a second GOAWAY names the last stream that is processed. After
 * the last stream the connection ends. As a client we only open no more streams. The peer's GOAWAY
 * is remembered.
 */
final class GoAways {
  /** The content of the ping whose answer says that the first GOAWAY was read. */
  static final long DRAIN_PING = 0x7765_6972_2d65_6e64L;

  private enum Drain {
    NONE,
    /** The peer has been told; streams that it opens before it knows are still served. */
    ANNOUNCED,
    /** No further stream is processed. */
    FINAL
  }

  private final Http2Connection connection;
  private Drain drain = Drain.NONE;
  private boolean peerGoes;
  private int lastStreamId = Integer.MAX_VALUE;

  GoAways(Http2Connection connection) {
    this.connection = connection;
  }

  void drain() {
    if (drain != Drain.NONE) {
      return;
    }
    if (connection.role == Role.CLIENT) {
      drain = Drain.FINAL;
      connection.unseenResets.seenAll();
    } else {
      drain = Drain.ANNOUNCED;
      connection.output.goAway(Integer.MAX_VALUE, ErrorCode.NO_ERROR);
      connection.observer.goAwaySent(ErrorCode.NO_ERROR);
      connection.output.ping(DRAIN_PING);
      connection.timer.drainSoon();
    }
    connection.handler.joinTurn();
  }

  /** Sends the second GOAWAY: the ping was answered, or its time is over. */
  void finish() {
    if (drain == Drain.ANNOUNCED) {
      drain = Drain.FINAL;
      lastStreamId = connection.states.closed().highestId();
      connection.output.goAway(lastStreamId, ErrorCode.NO_ERROR);
      connection.handler.joinTurn();
    }
  }

  void pingAnswered(long data) {
    if (data == DRAIN_PING) {
      finish();
    }
  }

  /** Whether a stream of the peer is not processed, as it was opened after the end. */
  boolean isAbove(int streamId) {
    return streamId > lastStreamId;
  }

  /** The highest stream of the peer that was processed; 0 if there was none. */
  int lastStreamId() {
    return connection.role == Role.CLIENT
        ? 0
        : Math.min(lastStreamId, connection.states.closed().highestId());
  }

  /** Receives a GOAWAY: our streams above {@code lastId} have not been processed. */
  void received(int lastId, int errorCode) {
    peerGoes = true;
    connection.observer.goAwayReceived(errorCode);
    final StreamSlots streams = connection.streams;
    if (connection.role == Role.CLIENT) {
      for (int stream = 0; stream < streams.slots(); stream++) {
        if (streams.id(stream) > lastId && !connection.states.isClosed(stream)) {
          connection.states.end(stream, StreamEnd.UNPROCESSED, ErrorCode.REFUSED_STREAM);
        }
      }
    }
    connection.unseenResets.seenAll();
    connection.events.goAwayReceived(errorCode);
    connection.handler.joinTurn();
  }

  /** Whether no new streams are opened. */
  boolean isGoing() {
    return drain != Drain.NONE || peerGoes;
  }

  /** Ends the connection if it is draining, and its last stream has ended. */
  void endIfDone() {
    final boolean ours = drain == Drain.FINAL;
    final boolean peers = peerGoes && connection.role == Role.CLIENT;
    if ((ours || peers) && connection.streams.count() == 0) {
      connection.handler.end(ErrorCode.NO_ERROR);
    }
  }
}
