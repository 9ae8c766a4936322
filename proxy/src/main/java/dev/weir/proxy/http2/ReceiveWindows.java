package dev.weir.proxy.http2;

import java.util.concurrent.TimeUnit;

/**
 * What the peer may send: the windows of the streams, and of all together (RFC 9113, section 5.2).
 * A stream's opens again as what came on it is consumed, half of it at a time. The connection's
 * bounds nothing, so that a stream which nobody reads never stops the others.
 */
final class ReceiveWindows {
  /** The window of the connection. */
  static final int CONNECTION_BYTES = 1 << 30;

  /** What a service may send at once on each stream while much is held. */
  static final int NARROW_BYTES = 1 << 14;

  private static final long NARROW_NS = TimeUnit.SECONDS.toNanos(1);
  private static final int CONNECTION = 0;

  private final Http2Connection connection;
  private final StreamSlots streams;
  private int uncreditedBytes;

  /**
   * What a stream's window begins with, and what the peer is still to acknowledge; 0 if nothing.
   */
  private int streamBytes = Http2Connection.WINDOW_BYTES;

  private int announcedBytes;
  private long narrowedNs;

  ReceiveWindows(Http2Connection connection, StreamSlots streams) {
    this.connection = connection;
    this.streams = streams;
  }

  /** Opens the window of the connection. */
  void start() {
    connection.output.windowUpdate(CONNECTION, CONNECTION_BYTES - Setting.DEFAULT_WINDOW_BYTES);
  }

  /** What a stream's window begins with. */
  int streamBytes() {
    return streamBytes;
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
        || !narrow && nowNs - narrowedNs < NARROW_NS) {
      return;
    }
    narrowedNs = nowNs;
    announcedBytes = wantedBytes;
    connection.output.settings(Setting.INITIAL_WINDOW_SIZE, wantedBytes);
    connection.joinTurn();
    if (!narrow) {
      resize(wantedBytes);
    }
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
      connection.joinTurn();
    }
  }

  /** Takes content, padding included, out of a stream's window; false if it is more than that. */
  boolean take(int stream, int bytes) {
    streams.receiveWindow[stream] -= bytes;
    return streams.receiveWindow[stream] >= 0;
  }

  /** Content of a stream is held, or less of it than was thought. */
  void hold(int stream, int bytes) {
    if (streams.heldBytes[stream] == 0) {
      streams.heldNs[stream] = connection.loop.clock.nowNs();
    }
    streams.heldBytes[stream] += bytes;
    connection.bound.holdReceived(bytes);
  }

  /** Content of a stream that was held has been consumed. */
  void credit(int stream, int bytes) {
    unhold(stream, bytes);
    give(stream, bytes);
  }

  /** Nothing of a stream is held any more. */
  void letGo(int stream) {
    unhold(stream, streams.heldBytes[stream]);
  }

  private void unhold(int stream, int bytes) {
    streams.heldNs[stream] = connection.loop.clock.nowNs();
    streams.heldBytes[stream] -= bytes;
    connection.bound.holdReceived(-bytes);
    connection.bound.released();
  }

  /** Bytes of a stream are not held any more: its window opens again, half of it at a time. */
  void give(int stream, int bytes) {
    if (streams.has(stream, StreamSlots.REMOTE_ENDED | StreamSlots.RESET)) {
      return;
    }
    streams.uncreditedBytes[stream] += bytes;
    final int uncredited = streams.uncreditedBytes[stream];
    if (uncredited > streamBytes / 2) {
      streams.uncreditedBytes[stream] = 0;
      streams.receiveWindow[stream] += uncredited;
      connection.output.windowUpdate(streams.id(stream), uncredited);
      connection.joinTurn();
    }
  }
}
