package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.loop.TurnEnd;

/**
 * The turn of an event loop, as calls to the service see it: which one it is, and whose clients
 * have been told something in it. What they have been told is sent at its end, once.
 */
final class TurnOfCalls implements TurnEnd.Member {
  private final TurnEnd turnEnd;
  private boolean joined;
  private long number;

  /** The first call that has told its client something; the others follow it. */
  private UpstreamStream told;

  TurnOfCalls(TurnEnd turnEnd) {
    this.turnEnd = turnEnd;
  }

  /** The number of this turn; what was written in it has not been sent. */
  long number() {
    join();
    return number;
  }

  /** A call has told its client something that is not the end. */
  void told(UpstreamStream call) {
    if (!call.isTold) {
      call.isTold = true;
      call.nextTold = told;
      told = call;
      join();
    }
  }

  private void join() {
    if (!joined) {
      joined = true;
      turnEnd.join(this);
    }
  }

  @Override
  public void turnEnded() {
    joined = false;
    number++;
    UpstreamStream call = told;
    told = null;
    while (call != null) {
      UpstreamStream next = call.nextTold;
      call.nextTold = null;
      call.isTold = false;
      call.flushResponse();
      call = next;
    }
  }
}
