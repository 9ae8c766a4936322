package dev.weir.bench.compare;

import dev.weir.bench.process.Cores;
import dev.weir.bench.scenario.Protocol;
import java.util.List;

/**
 * What is compared, and how long.
 *
 * @param inFlight how many requests at once, ascending; each is a cell.
 * @param seconds of each measurement.
 * @param warmUpSeconds of each contender, before its first measurement of an outcome.
 */
record ProxySettings(
    List<Outcome> outcomes,
    List<Integer> keys,
    List<Protocol> protocols,
    List<Contender> contenders,
    List<Integer> inFlight,
    int rounds,
    double seconds,
    double warmUpSeconds,
    Cores cores) {

  /** Among the numbers of requests at once, the one of warm-ups and of the fixed rate. */
  int usualInFlight() {
    return inFlight.get(inFlight.size() / 2);
  }

  /** About how long it takes if every contender takes part in everything. */
  double estimatedSeconds() {
    final int groups = outcomes.size() * protocols.size() * contenders.size();
    final int measurements = keys.size() * rounds * (inFlight.size() + 1);
    return groups * (warmUpSeconds + measurements * (seconds + 0.2));
  }
}
