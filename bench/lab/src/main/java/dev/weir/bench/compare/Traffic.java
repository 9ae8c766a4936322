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
  private static final int MOST_STREAMS = 16;

  /** This traffic in a closed loop, or at a rate. */
  Traffic at(double perSecond) {
    return new Traffic(protocol, keys, inFlight, perSecond);
  }

  int connections() {
    return protocol == Protocol.HTTP1 ? inFlight : parts(inFlight, MOST_STREAMS);
  }

  /** On each connection; of HTTP/1.1 one. */
  int streams() {
    return parts(inFlight, connections());
  }

  private static int parts(int whole, int part) {
    return (whole + part - 1) / part;
  }

  boolean open() {
    return perSecond != CLOSED;
  }
}
