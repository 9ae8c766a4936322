package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.loop.TurnEnd;

/** The turns of an event loop in which streams to the service are opened or pass something on. */
final class UpstreamTurn implements TurnEnd.Member {
  private final TurnEnd turnEnd;
  private boolean joined;
  private long number;

  UpstreamTurn(TurnEnd turnEnd) {
    this.turnEnd = turnEnd;
  }

  /** The number of this turn, whose output has not been flushed. */
  long number() {
    join();
    return number;
  }

  /** Flushes at the end of this turn what a stream has passed to its client; once in a turn. */
  void flushAtEnd(UpstreamStream stream) {
    join();
    turnEnd.join(stream);
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
  }
}
