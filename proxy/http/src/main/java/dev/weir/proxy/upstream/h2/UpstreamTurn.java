package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.loop.TurnEnd;

/**
 * The turn of an event loop, for streams to the service: its number, and the streams that have
 * passed something to their clients in it, which is flushed once, at its end.
 */
final class UpstreamTurn implements TurnEnd.Member {
  private final TurnEnd turnEnd;
  private boolean joined;
  private long number;

  /** The last stream that has passed something to its client; the others follow it. */
  private UpstreamStream told;

  UpstreamTurn(TurnEnd turnEnd) {
    this.turnEnd = turnEnd;
  }

  /** The number of this turn, whose output has not been flushed. */
  long number() {
    join();
    return number;
  }

  /** A stream has passed something to its client that is not the end. */
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
