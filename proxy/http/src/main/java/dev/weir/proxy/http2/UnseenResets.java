package dev.weir.proxy.http2;

import java.util.Arrays;

/**
 * The streams of one connection that we have reset, as a client, and of which the peer may not know
 * that. Each keeps its slot, and so counts as open: whoever resets what it has opened, again and
 * again, has the peer work on no more at one time than it allows.
 *
 * <p>What the peer answers has come behind all that was sent before the question: so an answer
 * tells of the resets up to then, and of none behind it.
 */
final class UnseenResets {
  private final Http2Connection connection;
  private final StreamSlots streams;

  /** The slots, in the order of the resets. */
  private int[] slots = {};

  private int count;

  /** The number of slots, from the first on, whose reset was before the last question. */
  private int askedCount;

  UnseenResets(Http2Connection connection, StreamSlots streams) {
    this.connection = connection;
    this.streams = streams;
  }

  /** A stream has been reset, and the frame is in the output. */
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

  /** The number of resets that the peer has not been asked about. */
  int unaskedCount() {
    return count - askedCount;
  }

  /** The peer has been asked for an answer, behind all of them. */
  void asked() {
    askedCount = count;
  }

  /** The peer has answered what it was asked last. */
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

  /** No stream is opened any more: none keeps its slot. */
  void seenAll() {
    asked();
    seen();
  }
}
