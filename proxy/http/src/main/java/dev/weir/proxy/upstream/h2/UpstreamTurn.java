package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.loop.TurnEnd;

/**
 * The turn of an event loop, as streams to the service see it: which one it is, and which streams
 * have told their clients something in it. What they have told is sent at its end, once.
 */
final class UpstreamTurn implements TurnEnd.Member {
  private final TurnEnd turnEnd;
  private boolean joined;
  private long number;

  /** The stream that was the last to tell its client something; the others follow it. */
  private UpstreamStream told;

  UpstreamTurn(TurnEnd turnEnd) {
    this.turnEnd = turnEnd;
  }

  /** The number of this turn; what was written in it has not been sent. */
  long number() {
    join();
    return number;
  }

  /** A stream has told its client something that is not the end. */
  void told(UpstreamStream stream) {
    if (stream.nextTold == null) {
      stream.nextTold = told == null ? stream : told;
      told = stream;
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
    UpstreamStream stream = told;
    told = null;
    while (stream != null) {
      UpstreamStream next = stream.nextTold == stream ? null : stream.nextTold;
      stream.nextTold = null;
      stream.flushResponse();
      stream = next;
    }
  }
}
