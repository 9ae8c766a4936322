package dev.weir.bench.load;

import dev.weir.proxy.http2.Http2Output;
import dev.weir.proxy.http2.Setting;

/**
 * Sends the contents of requests, as far as the peer's windows let it (RFC 9113, section 5.2), and
 * only so much at once that what is written stays small. Those that wait are served in turn.
 */
final class RequestBodies {
  private final OpenRequests requests;
  private final int slots;
  private final Http2Output output;
  private int connectionWindow = Setting.DEFAULT_WINDOW_BYTES;
  private int initialWindow = Setting.DEFAULT_WINDOW_BYTES;
  private int turn;
  private boolean held;

  RequestBodies(OpenRequests requests, Http2Output output) {
    this.requests = requests;
    slots = requests.streams.slots();
    this.output = output;
  }

  /** Begins with the content of a new stream's request. */
  void start(int slot, byte[] body) {
    requests.sendWindow[slot] = initialWindow;
    requests.sentBytes[slot] = 0;
    requests.body[slot] = body;
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

  void resume() {
    held = output.isFull();
    for (int i = slots; i > 0 && connectionWindow > 0 && !held; i--) {
      turn = turn + 1 & slots - 1;
      if (requests.body[turn] != null) {
        send(turn);
      }
    }
  }

  /** The peer takes more on a stream; false if that is more than there can be. */
  boolean streamGrows(int slot, int bytes) {
    if (requests.body[slot] == null) {
      return true;
    }
    long window = (long) requests.sendWindow[slot] + bytes;
    if (window > Integer.MAX_VALUE) {
      return false;
    }
    requests.sendWindow[slot] = (int) window;
    send(slot);
    return true;
  }

  /** The peer has changed what it takes on each stream; false if that is more than there can be. */
  boolean initialWindow(int bytes) {
    int change = bytes - initialWindow;
    initialWindow = bytes;
    for (int slot = 0; slot < slots; slot++) {
      if (requests.body[slot] != null && !streamGrows(slot, change)) {
        return false;
      }
    }
    return true;
  }

  private void send(int slot) {
    byte[] body = requests.body[slot];
    int at = requests.sentBytes[slot];
    int end =
        at + Math.min(body.length - at, Math.min(connectionWindow, requests.sendWindow[slot]));
    while (at < end && !held) {
      int bytes = Math.min(end - at, output.maxFrameBytes());
      output.data(requests.streams.id(slot), body, at, bytes, at + bytes == body.length);
      connectionWindow -= bytes;
      requests.sendWindow[slot] -= bytes;
      at += bytes;
      held = output.isFull();
    }
    requests.sentBytes[slot] = at;
    if (at == body.length) {
      requests.body[slot] = null;
    }
  }
}
