package dev.weir.bench.compare;

/**
 * The load of one measurement.
 *
 * @param keys over which it is spread, all alike.
 * @param perSecond at which requests are due; {@link #CLOSED} for as many as are answered.
 */
record Traffic(Wire wire, int keys, Shape shape, double perSecond) {
  static final double CLOSED = 0;

  /** This traffic in a closed loop, or at a rate. */
  Traffic at(double perSecond) {
    return new Traffic(wire, keys, shape, perSecond);
  }

  int connections() {
    return shape.connections(wire.protocol());
  }

  /** On each connection; of HTTP/1.1 one. */
  int streams() {
    return shape.streams(wire.protocol());
  }

  /** How many requests are in flight at most, as reports say it. */
  String inFlightText() {
    return shape.text(wire.protocol());
  }

  boolean open() {
    return perSecond != CLOSED;
  }
}
