package dev.weir.proxy.http2;

import java.util.concurrent.TimeUnit;

/**
 * The flow-control windows for what the peer sends: of each stream, and of the connection (RFC
 * 9113, section 5.2). A stream's window is opened as its content is consumed, half a window at a
 * time, and grows if the peer waits for it ({@link WindowGrowth}). The connection's window is
 * always open, so that an unread stream never stops the others.
 */
final class ReceiveWindows {
  static final int CONNECTION_BYTES = 1 << 30;

  /** The window of each stream of a service while much is held. */
  static final int NARROW_BYTES = 1 << 14;

  private static final long NARROW_NS = TimeUnit.SECONDS.toNanos(1);
  private static final int CONNECTION = 0;

  private final Http2Connection connection;
  private final StreamSlots streams;
  private final WindowGrowth growth;
  private int uncreditedBytes;

  /**
   * The initial window of a stream, and the one that the peer still has to acknowledge; 0 if none.
   */
  private int streamBytes = Http2Connection.WINDOW_BYTES;

  private int announcedBytes;
  private long narrowedNs;

  ReceiveWindows(Http2Connection connection, StreamSlots streams) {
    this.connection = connection;
    this.streams = streams;
    growth = new WindowGrowth(connection, streams);
  }

  /** Opens the window of the connection. */
  void start() {
    connection.output.windowUpdate(CONNECTION, CONNECTION_BYTES - Setting.DEFAULT_WINDOW_BYTES);
  }

  /** The initial window of a stream. */
  int streamBytes() {
    return streamBytes;
  }

  /** The growth of windows beyond that. */
  WindowGrowth growth() {
    return growth;
  }

  /**
   * Reduces the initial windows for the peer, or restores them, at most once a second. The peer's
   * acknowledgement shows that it knows; until then more is accepted than it should send.
   */
  void narrow(boolean narrow) {
    final int wantedBytes = narrow ? NARROW_BYTES : Http2Connection.WINDOW_BYTES;
    final long nowNs = connection.loop.clock.nowNs();
    if (wantedBytes == streamBytes
        || announcedBytes != 0
        || !connection.peer.isAckReceived()
        || connection.peer.isAsked()
        || !narrow && nowNs - narrowedNs < NARROW_NS) {
      return;
    }
    narrowedNs = nowNs;
    announcedBytes = wantedBytes;
    connection.output.settings(Setting.INITIAL_WINDOW_SIZE, wantedBytes);
    connection.handler.joinTurn();
    if (!narrow) {
      resize(wantedBytes);
    }
  }

  /** Whether the peer still has to acknowledge the initial window. */
  boolean awaitsAcknowledgement() {
    return announcedBytes != 0;
  }

  /** The peer has acknowledged settings; false if they were of another kind. */
  boolean acknowledged() {
    if (announcedBytes == 0) {
      return false;
    }
    if (announcedBytes < streamBytes) {
      resize(announcedBytes);
    }
    announcedBytes = 0;
    return true;
  }

  /** Changes all windows by the change of the initial one (RFC 9113, section 6.9.2). */
  private void resize(int bytes) {
    final int change = bytes - streamBytes;
    streamBytes = bytes;
    for (int stream = 0; stream < streams.slots(); stream++) {
      if (streams.id(stream) != 0) {
        streams.receiveWindow[stream] += change;
        give(stream, 0); // what is half of a narrow window was not half of a wide one
      }
    }
  }

  /** Counts content of any stream, padding included, against the connection's window. */
  void connectionTook(int bytes) {
    uncreditedBytes += bytes;
    if (uncreditedBytes >= CONNECTION_BYTES / 2) {
      connection.output.windowUpdate(CONNECTION, uncreditedBytes);
      uncreditedBytes = 0;
      connection.handler.joinTurn();
    }
  }

  /** Takes content, padding included, from a stream's window; false if the window is too small. */
  boolean take(int stream, int bytes) {
    streams.receiveWindow[stream] -= bytes;
    growth.received(stream, bytes);
    return streams.receiveWindow[stream] >= 0;
  }

  /** Counts content of a stream as held, or less of it. */
  void hold(int stream, int bytes) {
    holdsSince(stream);
    streams.heldBytes[stream] += bytes;
    connection.bound.holdReceived(bytes);
  }

  /** Counts the memory of a stream's waiting head; 0 if it waits no more. */
  void holdHead(int stream, int bytes) {
    final int more = bytes - streams.headBytes[stream];
    holdsSince(stream);
    streams.headBytes[stream] = bytes;
    connection.bound.holdReceived(more);
    if (more < 0) {
      connection.bound.released();
    }
  }

  private void holdsSince(int stream) {
    if (streams.heldBytes[stream] == 0 && streams.headBytes[stream] == 0) {
      streams.heldNs[stream] = connection.loop.clock.nowNs();
    }
  }

  /** Held content of a stream has been consumed: opens its window by it. */
  void credit(int stream, int bytes) {
    unhold(stream, bytes);
    give(stream, bytes);
  }

  /** Nothing of a stream is held any more. */
  void letGo(int stream) {
    if (streams.headBytes[stream] > 0) {
      holdHead(stream, 0);
    }
    if (streams.heldBytes[stream] > 0) {
      unhold(stream, streams.heldBytes[stream]);
    }
  }

  private void unhold(int stream, int bytes) {
    streams.heldNs[stream] = connection.loop.clock.nowNs();
    streams.heldBytes[stream] -= bytes;
    if (streams.heldBytes[stream] == 0) {
      growth.consumed(stream);
    }
    connection.bound.holdReceived(-bytes);
    connection.bound.released();
  }

  /** Opens a stream's window by bytes that are no longer held, half a window at a time. */
  void give(int stream, int bytes) {
    if (streams.has(stream, StreamSlots.REMOTE_ENDED | StreamSlots.RESET)) {
      if (streams.heldBytes[stream] == 0) {
        growth.ended(stream);
      }
      return;
    }
    streams.uncreditedBytes[stream] += bytes - growth.takenBack(stream, bytes);
    final int uncredited = streams.uncreditedBytes[stream];
    if (uncredited > (streamBytes + streams.extraBytes[stream]) / 2) {
      final int left = streams.receiveWindow[stream];
      final int more = uncredited + growth.more(stream);
      streams.uncreditedBytes[stream] = 0;
      streams.receiveWindow[stream] += more;
      connection.output.windowUpdate(streams.id(stream), more);
      growth.measure(stream, left);
      connection.handler.joinTurn();
    }
  }

  /** A stream has ended on both sides. */
  void ended(int stream) {
    growth.ended(stream);
  }
}
