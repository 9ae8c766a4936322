package dev.weir.proxy.http2;

import java.util.Arrays;

/**
 * The streams of one connection that we have reset, as a client, and of which the peer may not know
 * that yet. Each keeps its slot and so counts as open: repeated resets never make the peer work on
 * more streams than it allows.
 *
 * <p>An answer of the peer to a frame proves that it has seen the resets before that frame.
 */
final class UnseenResets {
  private final Http2Connection connection;
  private final StreamSlots streams;

  /** The slots, in the order of the resets. */
  private int[] slots = {};

  private int count;

  /** The number of slots, from the first on, that were reset before the last such frame. */
  private int askedCount;

  UnseenResets(Http2Connection connection, StreamSlots streams) {
    this.connection = connection;
    this.streams = streams;
  }

  /** Adds a stream whose reset is in the output. */
  void add(int stream) {
    if (count == slots.length) {
      slots = Arrays.copyOf(slots, Math.max(PeerSettings.MOST_STREAMS, 2 * count));
    }
    slots[count++] = stream;
    streams.flags[stream] |= StreamSlots.RESET_UNSEEN;
  }

  int count() {
    return count;
  }

  /** The number of resets since the last such frame. */
  int unaskedCount() {
    return count - askedCount;
  }

  /** A frame that the peer answers was sent, after all resets. */
  void asked() {
    askedCount = count;
  }

  /** The peer has answered the last such frame. */
  void seen() {
    final int seenCount = askedCount;
    askedCount = 0;
    for (int i = 0; i < seenCount; i++) {
      final int stream = slots[i];
      streams.flags[stream] &= ~StreamSlots.RESET_UNSEEN;
      connection.events.resetSeen(stream);
      connection.states.freeIfDone(stream);
    }
    count -= seenCount;
    System.arraycopy(slots, seenCount, slots, 0, count);
  }

  /** Frees all slots, as no stream is opened any more. */
  void seenAll() {
    asked();
    seen();
  }
}
