package dev.weir.proxy.downstream.h1;

import dev.weir.proxy.loop.LoopClock;

/**
 * The memory that clients of HTTP/1.1 may take of an event loop, whichever of its listeners they
 * have connected to. Used by that loop only.
 */
public final class Http1Memory {
  /** Input that waits. */
  final KeptInput input;

  /** Answers that clients do not take. */
  final UntakenAnswers untaken;

  /**
   * @param maxHeldBytes that input may take, and half of what answers may.
   */
  public Http1Memory(LoopClock clock, long maxHeldBytes) {
    input = new KeptInput(maxHeldBytes);
    untaken = new UntakenAnswers(clock, input, 2 * maxHeldBytes);
  }
}
