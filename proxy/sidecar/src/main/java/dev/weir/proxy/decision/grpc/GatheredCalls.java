package dev.weir.proxy.decision.grpc;

import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.loop.InternalErrors;
import io.netty.buffer.ByteBuf;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The unary calls whose complete messages arrived in one read of a connection. They are made after
 * all frames of that read are known, one after the other: the code for both does not fit a
 * processor's caches, the code for one does. Consecutive calls of one method are looked at together
 * before they are made. One per event loop; empty except while a connection is read.
 */
public final class GatheredCalls {
  /** The most calls of one read that are gathered; then they are made before more are read. */
  static final int MAX_CALLS = 64;

  /** The most calls that are looked at together; memory is not prefetched for more. */
  public static final int MAX_PREFETCHED = 16;

  /** The place of a call that is not gathered. */
  static final int NOWHERE = -1;

  private final GrpcCall[] calls = new GrpcCall[MAX_CALLS];
  private final int[] offsets = new int[MAX_CALLS];
  private final int[] lengths = new int[MAX_CALLS];
  private final UnsafeBuffer bytes = new UnsafeBuffer(0, 0);
  private int count;

  /** The buffer with all messages, lent until the read ends. */
  private ByteBuf in;

  /**
   * Adds a call whose message has arrived.
   *
   * @return its place, which it {@linkplain #leave leaves} if it ends before it is made.
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

  /** Removes the call at a place, which has ended. */
  void leave(int place) {
    calls[place] = null;
  }

  /** Makes all calls. */
  void askAll() {
    try {
      for (int from = 0; from < count; ) {
        int to = endOfRun(from);
        if (to - from > 1) {
          prefetch(from, to);
        }
        for (int i = from; i < to; i++) {
          GrpcCall call = calls[i];
          if (call != null) {
            calls[i] = null;
            call.askGathered(in, offsets[i], lengths[i]);
          }
        }
        from = to;
      }
    } finally {
      count = 0;
      in = null;
    }
  }

  /**
   * The end of a run of calls that are looked at together; a call that has ended is a run of its
   * own.
   */
  private int endOfRun(int from) {
    int to = from + 1;
    if (calls[from] != null) {
      int most = Math.min(count, from + MAX_PREFETCHED);
      while (to < most && (calls[to] == null || calls[to].method() == calls[from].method())) {
        to++;
      }
    }
    return to;
  }

  /** Has the method look at calls; if that throws, they are made as if it had not. */
  private void prefetch(int from, int to) {
    try {
      ChannelIo.view(in, 0, in.capacity(), bytes);
      calls[from].method().prefetch(this, from, to);
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught("a look at calls of gRPC", bug);
      for (int i = from; i < to; i++) {
        if (calls[i] != null) {
          calls[i].attach(null);
        }
      }
    }
  }

  /** A call that is looked at; null if it has ended. */
  public GrpcCall call(int place) {
    return calls[place];
  }

  /** The bytes of the messages that are looked at, until the last of them is made. */
  public DirectBuffer bytes() {
    return bytes;
  }

  public int offset(int place) {
    return offsets[place];
  }

  public int length(int place) {
    return lengths[place];
  }
}
