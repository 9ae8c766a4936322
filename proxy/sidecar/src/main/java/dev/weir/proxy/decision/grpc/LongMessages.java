package dev.weir.proxy.decision.grpc;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The messages of one connection that are longer than {@link #MAX_SHORT_BYTES}. As many are
 * gathered at one time as there is room for; a few more wait, with their streams' flow-control
 * windows closed, until one is complete; further ones are refused. So every message that has begun
 * can be completed, and the connection never holds so much that it is not read any more.
 */
final class LongMessages {
  /**
   * The longest message that needs no room here: with all its padding it fits a stream's window.
   */
  static final int MAX_SHORT_BYTES = 32 * 1024;

  /** Room for one message of the greatest length, or for several shorter ones. */
  static final long ROOM_BYTES = GrpcCall.MAX_MESSAGE_BYTES;

  /** The most that wait; each may have sent a window of 64 KiB. */
  static final int MAX_WAITING = 8;

  private final List<LengthPrefixedMessages> gathered = new ArrayList<>();
  private final ArrayDeque<LengthPrefixedMessages> waiting = new ArrayDeque<>(MAX_WAITING);
  private long promisedBytes;

  /** Adds a long message of a call; false if there are too many. */
  boolean join(LengthPrefixedMessages messages) {
    if (waiting.isEmpty() && hasRoom(messages)) {
      gather(messages);
      return true;
    }
    return waiting.size() < MAX_WAITING && waiting.add(messages);
  }

  private boolean hasRoom(LengthPrefixedMessages messages) {
    return promisedBytes + messages.longMessageBytes() <= ROOM_BYTES;
  }

  private void gather(LengthPrefixedMessages messages) {
    gathered.add(messages);
    promisedBytes += messages.longMessageBytes();
  }

  /** Whether more of a call's message may come now. */
  boolean isGathered(LengthPrefixedMessages messages) {
    return gathered.contains(messages);
  }

  /** Ends a long message: waiting ones for which there is room now go on. */
  void leave(LengthPrefixedMessages messages) {
    if (gathered.remove(messages)) {
      promisedBytes -= messages.longMessageBytes();
    } else {
      waiting.remove(messages);
    }
    while (!waiting.isEmpty() && hasRoom(waiting.peekFirst())) {
      LengthPrefixedMessages next = waiting.pollFirst();
      gather(next);
      next.goOn();
    }
  }

  boolean isEmpty() {
    return gathered.isEmpty(); // none waits then, as each has room by itself
  }
}
