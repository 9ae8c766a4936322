package dev.weir.bench.decision;

import dev.weir.bench.scenario.KeyChoice;

/**
 * The calls of one measurement.
 *
 * @param keys that ask, all alike; each may stand for several identities.
 * @param streams on each connection.
 * @param perSecond at which calls are due; {@link #CLOSED} for as many as are answered.
 */
record CallLoad(Ask ask, KeyChoice keys, int connections, int streams, double perSecond) {
  static final double CLOSED = 0;

  /** These calls at a rate. */
  CallLoad at(double rate) {
    return new CallLoad(ask, keys, connections, streams, rate);
  }

  boolean isOpen() {
    return perSecond != CLOSED;
  }

  /** How many budgets are asked about; a single key is one that makes all calls. */
  int budgets() {
    return keys.names().size() == 1 ? 1 : keys.names().size() * ask.decisions();
  }

  /** How many calls are in flight at most, as reports say it. */
  String inFlightText() {
    return connections + "x" + streams;
  }
}
