package dev.weir.bench.load;

import io.netty.handler.codec.http2.Http2CodecUtil;

/**
 * Sends the contents of requests, as far as the peer's windows let it (RFC 9113, section 5.2), and
 * only so much at once that what is written stays small. Those that wait are served in turn.
 */
final class RequestBodies {
  private final StreamTable streams;
  private final Http2Output output;
  private int connectionWindow = Http2CodecUtil.DEFAULT_WINDOW_SIZE;
  private int initialWindow = Http2CodecUtil.DEFAULT_WINDOW_SIZE;
  private int turn;
  private boolean held;

  RequestBodies(StreamTable streams, Http2Output output) {
    this.streams = streams;
    this.output = output;
  }

  /** Begins with the content of a new stream's request. */
  void start(int slot, byte[] body) {
    streams.sendWindow[slot] = initialWindow;
    streams.sentBytes[slot] = 0;
    streams.body[slot] = body;
    held |= output.isFull();
    send(slot);
  }

  /** The peer takes more on the connection; false if that is more than there can be. */
  boolean connectionGrows(int bytes) {
    connectionWindow += bytes;
    if (connectionWindow < 0) {
      return false;
    }
    resume();
    return true;
  }

  /** Whether contents wait for what was written to be sent, not for the peer's windows. */
  boolean held() {
    return held;
  }

  /** Goes on with the contents that wait. */
  void resume() {
    held = output.isFull();
    for (int i = streams.slots(); i > 0 && connectionWindow > 0 && !held; i--) {
      turn = turn + 1 & streams.slots() - 1;
      if (streams.body[turn] != null) {
        send(turn);
      }
    }
  }

  /** The peer takes more on a stream; false if that is more than there can be. */
  boolean streamGrows(int slot, int bytes) {
    if (streams.body[slot] == null) {
      return true;
    }
    long window = (long) streams.sendWindow[slot] + bytes;
    if (window > Integer.MAX_VALUE) {
      return false;
    }
    streams.sendWindow[slot] = (int) window;
    send(slot);
    return true;
  }

  /** The peer has changed what it takes on each stream; false if that is more than there can be. */
  boolean initialWindow(int bytes) {
    int change = bytes - initialWindow;
    initialWindow = bytes;
    for (int slot = 0; slot < streams.slots(); slot++) {
      if (streams.body[slot] != null && !streamGrows(slot, change)) {
        return false;
      }
    }
    return true;
  }

  private void send(int slot) {
    byte[] body = streams.body[slot];
    int at = streams.sentBytes[slot];
    int end = at + Math.min(body.length - at, Math.min(connectionWindow, streams.sendWindow[slot]));
    while (at < end && !held) {
      int bytes = Math.min(end - at, output.maxFrameBytes());
      output.data(streams.id(slot), body, at, bytes, at + bytes == body.length);
      connectionWindow -= bytes;
      streams.sendWindow[slot] -= bytes;
      at += bytes;
      held = output.isFull();
    }
    streams.sentBytes[slot] = at;
    if (at == body.length) {
      streams.body[slot] = null;
    }
  }
}
