package dev.weir.bench.load;

import java.util.Arrays;

/** The requests on a connection's open streams, by the slot of each stream. */
final class OpenRequests {
  final StreamTable streams;
  final long[] dueNs;
  final long[] startedNs;

  /** The final answer's; 0 before it. */
  final int[] status;

  /** Content received and not yet given back to the peer's window. */
  final int[] receivedBytes;

  /** Bytes of {@link #body} that were sent. */
  final int[] sentBytes;

  /** Bytes of content that the peer takes; negative after it made its windows smaller. */
  final int[] sendWindow;

  /** The content of the request; null once all of it is sent. */
  final byte[][] body;

  OpenRequests(StreamTable streams) {
    this.streams = streams;
    final int slots = streams.slots();
    dueNs = new long[slots];
    startedNs = new long[slots];
    status = new int[slots];
    receivedBytes = new int[slots];
    sentBytes = new int[slots];
    sendWindow = new int[slots];
    body = new byte[slots][];
  }

  /** Opens a stream for a request, as {@link StreamTable#open} does. */
  int open(long due, long started) {
    final int slot = streams.open();
    dueNs[slot] = due;
    startedNs[slot] = started;
    status[slot] = 0;
    receivedBytes[slot] = 0;
    return slot;
  }

  void free(int slot) {
    streams.free(slot);
    body[slot] = null;
  }

  void clear() {
    streams.clear();
    Arrays.fill(body, null);
  }
}
