package dev.weir.proxy.http2;

import java.util.concurrent.TimeUnit;

/**
 * The windows for what the peer sends: of each stream, and of the connection (RFC 9113, section
 * 5.2). A stream's opens again as what came on it is consumed, half of it at a time, and becomes
 * wider if the peer waits for it ({@link WindowGrowth}). The connection's bounds nothing, so that a
 * stream which nobody reads never stops the others.
 */
final class ReceiveWindows {
  /** The window of the connection. */
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
   * The window that a stream begins with, and the one that the peer is still to acknowledge; 0 if
   * none.
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

  /** The window that a stream begins with. */
  int streamBytes() {
    return streamBytes;
  }

  /** The streams whose windows are wider than that. */
  WindowGrowth growth() {
    return growth;
  }

  /**
   * Has the peer send less at once on each stream, or as much as usual again, but not within a
   * second. It knows that by its acknowledgement; until then more is taken than it should send.
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

  /** Whether the peer is to acknowledge what a stream's window begins with. */
  boolean awaitsAcknowledgement() {
    return announcedBytes != 0;
  }

  /** The peer has acknowledged settings; false if there were none of this kind. */
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

  /** All windows change by as much as what they begin with (RFC 9113, section 6.9.2). */
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

  /** Content of some stream has come, padding included, whatever becomes of it. */
  void connectionTook(int bytes) {
    uncreditedBytes += bytes;
    if (uncreditedBytes >= CONNECTION_BYTES / 2) {
      connection.output.windowUpdate(CONNECTION, uncreditedBytes);
      uncreditedBytes = 0;
      connection.handler.joinTurn();
    }
  }

  /** Takes content, padding included, out of a stream's window; false if it is more than that. */
  boolean take(int stream, int bytes) {
    streams.receiveWindow[stream] -= bytes;
    growth.received(stream, bytes);
    return streams.receiveWindow[stream] >= 0;
  }

  /** Content of a stream is held, or less of it than was thought. */
  void hold(int stream, int bytes) {
    holdsSince(stream);
    streams.heldBytes[stream] += bytes;
    connection.bound.holdReceived(bytes);
  }

  /** The head of a stream's request waits in so much memory; 0 if it waits no more. */
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

  /** Content of a stream that was held has been consumed. */
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

  /** Bytes of a stream are not held any more: its window opens again, half of it at a time. */
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
