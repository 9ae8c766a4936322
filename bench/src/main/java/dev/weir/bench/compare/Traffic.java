package dev.weir.bench.compare;

import dev.weir.bench.scenario.Protocol;

/**
 * The load of one measurement.
 *
 * @param keys over which it is spread, all alike.
 * @param inFlight requests at once, at most.
 * @param perSecond at which requests are due; {@link #CLOSED} for as many as are answered.
 */
record Traffic(Protocol protocol, int keys, int inFlight, double perSecond) {
  static final double CLOSED = 0;

  /** On a connection of HTTP/2. */
  private static final int STREAMS = 16;

  /** The same in a closed loop, or at a rate. */
  Traffic at(double perSecond) {
    return new Traffic(protocol, keys, inFlight, perSecond);
  }

  int streams() {
    return protocol == Protocol.HTTP1 ? 1 : Math.min(STREAMS, inFlight);
  }

  int connections() {
    return inFlight / streams();
  }

  boolean open() {
    return perSecond != CLOSED;
  }
}
