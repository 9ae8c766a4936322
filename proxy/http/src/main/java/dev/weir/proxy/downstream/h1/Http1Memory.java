package dev.weir.proxy.downstream.h1;

import dev.weir.proxy.loop.LoopClock;

/**
 * The memory that HTTP/1.1 clients may take of an event loop, over all of its listeners. Used by
 * that loop only.
 */
public final class Http1Memory {
  /** Input that waits to be processed. */
  final KeptInput input;

  /** Responses that clients have not read. */
  final UntakenAnswers untaken;

  /**
   * @param maxHeldBytes for input; unread responses may take half as much.
   */
  public Http1Memory(LoopClock clock, long maxHeldBytes) {
    input = new KeptInput(maxHeldBytes);
    untaken = new UntakenAnswers(clock, input, 2 * maxHeldBytes);
  }
}
