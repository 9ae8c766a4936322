package dev.weir.proxy.decision.grpc;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The messages of one connection that are longer than may come unasked. As many are gathered at one
 * time as there is room for together; a few more wait, their streams' windows shut, until one is
 * whole; any beyond those is refused. So each that has begun can come to its end, and the
 * connection never holds so much that nothing of it is read any more.
 */
final class LongMessages {
  /** The longest that comes without a word of this: with all its padding it fits a window. */
  static final int MAX_SHORT_BYTES = 32 * 1024;

  /** One of the longest, or more that are as long together. */
  static final long ROOM_BYTES = GrpcCall.MAX_MESSAGE_BYTES;

  /** Each may have sent a window of 64 KiB before it waits. */
  static final int MAX_WAITING = 8;

  private final List<LengthPrefixedMessages> gathered = new ArrayList<>();
  private final ArrayDeque<LengthPrefixedMessages> waiting = new ArrayDeque<>(MAX_WAITING);
  private long promisedBytes;

  /** Adds those of a call of which a long one has begun; false if there are too many. */
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

  /** Whether more of a call's message may come. */
  boolean isGathered(LengthPrefixedMessages messages) {
    return gathered.contains(messages);
  }

  /** Nothing more of a call's message comes: those that wait and fit now are told to go on. */
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
