package dev.weir.proxy.decision;

import io.netty.buffer.ByteBuf;

/**
 * The unary calls whose messages have come whole in one read of a connection. They are asked once
 * all frames of that read are known, one behind the other: the code of a whole call is more than a
 * processor keeps near, that of one of its halves is not. One per event loop; empty but while a
 * connection is read.
 */
final class GatheredCalls {
  /** Of a longer read the first ones are asked before the next are read. */
  static final int MAX_CALLS = 64;

  /** The place of a call that is not gathered. */
  static final int NOWHERE = -1;

  private final GrpcCall[] calls = new GrpcCall[MAX_CALLS];
  private final int[] offsets = new int[MAX_CALLS];
  private final int[] lengths = new int[MAX_CALLS];
  private int count;

  /** Has the messages of all; it is lent until the read ends. */
  private ByteBuf in;

  /**
   * Takes a call whose message has come.
   *
   * @return its place, which it {@linkplain #leave leaves} if it ends before it is asked.
   */
  int add(GrpcCall call, ByteBuf from, int offset, int length) {
    if (count == MAX_CALLS) {
      askAll();
    }
    in = from;
    calls[count] = call;
    offsets[count] = offset;
    lengths[count] = length;
    return count++;
  }

  /** The call at a place has ended. */
  void leave(int place) {
    calls[place] = null;
  }

  /** Asks with all messages. */
  void askAll() {
    for (int i = 0; i < count; i++) {
      GrpcCall call = calls[i];
      if (call != null) {
        calls[i] = null;
        call.askGathered(in, offsets[i], lengths[i]);
      }
    }
    count = 0;
    in = null;
  }
}
