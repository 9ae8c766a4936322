package dev.weir.proxy.decision;

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

  private final List<GrpcCall> gathered = new ArrayList<>();
  private final ArrayDeque<GrpcCall> waiting = new ArrayDeque<>(MAX_WAITING);
  private long promisedBytes;

  /** Adds a call whose message has begun; false if there are too many. */
  boolean join(GrpcCall call) {
    if (waiting.isEmpty() && hasRoom(call)) {
      gather(call);
      return true;
    }
    return waiting.size() < MAX_WAITING && waiting.add(call);
  }

  private boolean hasRoom(GrpcCall call) {
    return promisedBytes + call.longMessageBytes() <= ROOM_BYTES;
  }

  private void gather(GrpcCall call) {
    gathered.add(call);
    promisedBytes += call.longMessageBytes();
  }

  /** Whether more of a call's message may come. */
  boolean isGathered(GrpcCall call) {
    return gathered.contains(call);
  }

  /** Nothing more of a call's message comes: those that wait and fit now are told to go on. */
  void leave(GrpcCall call) {
    if (gathered.remove(call)) {
      promisedBytes -= call.longMessageBytes();
    } else {
      waiting.remove(call);
    }
    while (!waiting.isEmpty() && hasRoom(waiting.peekFirst())) {
      GrpcCall next = waiting.pollFirst();
      gather(next);
      next.goOn();
    }
  }

  boolean isEmpty() {
    return gathered.isEmpty(); // none waits then, as each has room by itself
  }
}
