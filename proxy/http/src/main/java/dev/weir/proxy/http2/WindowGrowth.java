package dev.weir.proxy.http2;

import java.util.concurrent.TimeUnit;

/**
 * Which of one connection's streams have a receive window above the standard's, as one that is sent
 * much over a long way needs: no more than its window passes in a round trip.
 *
 * <p>A window is given back by halves, before the peer can be seen to wait for it. So a ping goes
 * out behind a WINDOW_UPDATE: if all that was left of the window has come before the answer, the
 * peer had nothing left when it heard of more. Then the next update doubles the window, up to
 * {@value #MAX_BYTES} bytes, if nothing of the stream is held, so that memory is not filled for a
 * side that takes nothing, and if there is memory free that it may ask for ({@link #extraBytes()}).
 *
 * <p>One ping is out at a time, and the next one goes behind content that came after the answer, as
 * with the estimators of gRPC: servers that count early pings begin anew whenever they send
 * content. A ping that brings no growth is the last for a second.
 */
final class WindowGrowth {
  /** The widest window of a stream: the default doubled four times. */
  static final int MAX_BYTES = 16 * Http2Connection.WINDOW_BYTES;

  /** The bytes by which all windows of a client's connection may exceed the default. */
  static final int MAX_CONNECTION_EXTRA_BYTES = 1 << 20;

  /** The content of the ping whose answer ends a measurement. */
  static final long PING = 0x7765_6972_2d62_6470L;

  /** A peer with a shorter round trip gets 64 MB/s through the default window. */
  private static final long NEAR_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(1);
  private static final int NO_ID = 0;

  private final Http2Connection connection;
  private final StreamSlots streams;

  /** The stream that is measured, by slot and identifier; {@link #NO_ID} if none is. */
  private int measured;

  private int measuredId = NO_ID;

  /** The rest of that stream's window when the ping was sent, less what has arrived since. */
  private long leftBytes;

  /** Whether nothing of that stream was held at some time since. */
  private boolean wasConsumed;

  private long pingNs;
  private long nextPingNs = Long.MIN_VALUE;
  private int extraBytes;

  WindowGrowth(Http2Connection connection, StreamSlots streams) {
    this.connection = connection;
    this.streams = streams;
  }

  /** The bytes by which the windows of all streams exceed the default. */
  int extraBytes() {
    return extraBytes;
  }

  /** Content of a stream has arrived, padding included. */
  void received(int stream, int bytes) {
    if (stream == measured) {
      leftBytes -= bytes;
    }
  }

  /** Nothing of a stream is held any more. */
  void consumed(int stream) {
    wasConsumed |= stream == measured;
  }

  /**
   * The bytes by which a stream's window is not opened: while much is held, windows shrink back to
   * the default.
   */
  int takenBack(int stream, int bytes) {
    if (streams.extraBytes[stream] == 0 || !connection.loop.isCrowded()) {
      return 0;
    }
    final int taken = Math.min(bytes, streams.extraBytes[stream]);
    change(stream, -taken);
    return taken;
  }

  /**
   * A stream's window is about to be opened by half.
   *
   * @return by how much more it is opened.
   */
  int more(int stream) {
    if (!streams.has(stream, StreamSlots.RAN_DRY)) {
      return 0;
    }
    streams.flags[stream] &= ~StreamSlots.RAN_DRY;
    final int windowBytes = Http2Connection.WINDOW_BYTES + streams.extraBytes[stream];
    final int bytes = Math.min(windowBytes, MAX_BYTES - windowBytes);
    if (!mayHave(stream, streams.extraBytes[stream] + bytes)) {
      pause();
      return 0;
    }
    change(stream, bytes);
    return bytes;
  }

  private boolean mayHave(int stream, int ofStream) {
    final int others = extraBytes - streams.extraBytes[stream];
    return (connection.role == Role.CLIENT || others + ofStream <= MAX_CONNECTION_EXTRA_BYTES)
        && connection.loop.mayWiden(connection.role, streams.extraBytes[stream], ofStream);
  }

  /**
   * A stream's window was opened by half: measures whether the peer waits.
   *
   * @param left of the window before.
   */
  void measure(int stream, int left) {
    final long nowNs = connection.loop.clock.nowNs();
    if (measuredId != NO_ID || nowNs < nextPingNs || !mayGrow(stream)) {
      return;
    }
    measured = stream;
    measuredId = streams.id(stream);
    leftBytes = left;
    wasConsumed = false;
    pingNs = nowNs;
    connection.ping(PING);
  }

  /** Whether growing would help, as far as is known. */
  private boolean mayGrow(int stream) {
    return streams.extraBytes[stream] < MAX_BYTES - Http2Connection.WINDOW_BYTES
        && !connection.loop.isCrowded()
        && !(streams.has(stream, StreamSlots.LENGTH_KNOWN)
            && streams.contentLeft[stream] <= streams.receiveWindow[stream]);
  }

  void pingAnswered(long data) {
    if (data != PING || measuredId == NO_ID) {
      return;
    }
    final boolean isOpen = streams.id(measured) == measuredId;
    final boolean isTaken = wasConsumed || streams.heldBytes[measured] == 0;
    final boolean isFar = connection.loop.clock.nowNs() - pingNs >= NEAR_NS;
    measuredId = NO_ID;
    if (isOpen && isTaken && isFar && leftBytes <= 0) {
      streams.flags[measured] |= StreamSlots.RAN_DRY;
    } else {
      pause();
    }
  }

  private void pause() {
    nextPingNs = connection.loop.clock.nowNs() + PAUSE_NS;
  }

  /** A stream gets no more content, and nothing of it is held. */
  void ended(int stream) {
    change(stream, -streams.extraBytes[stream]);
  }

  private void change(int stream, int bytes) {
    streams.extraBytes[stream] += bytes;
    extraBytes += bytes;
    connection.loop.widen(connection.role, bytes);
  }
}
