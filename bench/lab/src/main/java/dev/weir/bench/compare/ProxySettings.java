package dev.weir.bench.compare;

import dev.weir.bench.process.Cores;
import java.util.List;

/**
 * What is compared, and how long.
 *
 * @param shapes of requests at once, ascending; each is a cell.
 * @param fixedRate whether there is a cell at a fixed rate too.
 * @param seconds of each measurement.
 * @param warmUpSeconds of each contender, before its first measurement of an outcome.
 */
record ProxySettings(
    List<Outcome> outcomes,
    List<Integer> keys,
    List<Wire> wires,
    List<Contender> contenders,
    List<Shape> shapes,
    int rounds,
    double seconds,
    double warmUpSeconds,
    boolean fixedRate,
    Cores cores) {

  /** Among the shapes, the one of warm-ups and of the fixed rate. */
  Shape usualShape() {
    return shapes.get(shapes.size() / 2);
  }

  /** About how long it takes if every contender takes part in everything. */
  double estimatedSeconds() {
    final int groups = outcomes.size() * wires.size() * contenders.size();
    final int measurements = keys.size() * rounds * (shapes.size() + (fixedRate ? 1 : 0));
    return groups * (warmUpSeconds + measurements * (seconds + 0.2));
  }
}
