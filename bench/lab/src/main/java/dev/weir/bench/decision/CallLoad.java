package dev.weir.bench.decision;

import dev.weir.bench.load.LocalLoad;
import dev.weir.bench.scenario.KeyChoice;
import dev.weir.bench.scenario.Protocol;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The calls of one measurement.
 *
 * @param keys that ask, all alike; each may stand for several identities.
 * @param streams on each connection.
 * @param perSecond at which calls are due; {@link LocalLoad#CLOSED} for as many as are answered.
 */
record CallLoad(Ask ask, KeyChoice keys, int connections, int streams, double perSecond) {
  /** Each call tells its server how much of this is left. */
  private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);

  static CallLoad closed(Ask ask, KeyChoice keys, int connections, int streams) {
    return new CallLoad(ask, keys, connections, streams, LocalLoad.CLOSED);
  }

  CallLoad at(double rate) {
    return new CallLoad(ask, keys, connections, streams, rate);
  }

  boolean isOpen() {
    return perSecond != LocalLoad.CLOSED;
  }

  /** How many budgets are asked about; a single key is one that makes all calls. */
  int budgets() {
    return keys.names().size() == 1 ? 1 : keys.names().size() * ask.decisions;
  }

  /** How many calls are in flight at most, as reports say it. */
  String inFlightText() {
    return connections + "x" + streams;
  }

  LocalLoad load() {
    return new LocalLoad(
        LocalLoad.clients(Protocol.GRPC, connections, streams, TIMEOUT_NS),
        false,
        ask.path,
        List.of(),
        ask.body(),
        keys,
        perSecond);
  }
}
