package dev.weir.bench.compare;

import dev.weir.bench.rounds.Rounds;
import java.util.List;

/**
 * A comparison of proxies.
 *
 * @param shapes of requests at once, ascending; each is a cell.
 * @param fixedRate whether there is a cell at a fixed rate too.
 */
record ProxySettings(
    List<Outcome> outcomes,
    List<Integer> keys,
    List<Wire> wires,
    List<Contender> contenders,
    List<Shape> shapes,
    boolean fixedRate,
    Rounds rounds) {
  /** Among the shapes, the one of warm-ups and of the fixed rate. */
  Shape usualShape() {
    return shapes.get(shapes.size() / 2);
  }

  /** About how long it takes if every contender takes part in everything. */
  double estimatedSeconds() {
    final int groups = outcomes.size() * wires.size() * contenders.size();
    final int measurements = keys.size() * rounds.count() * (shapes.size() + (fixedRate ? 1 : 0));
    return groups * (rounds.warmUpSeconds() + measurements * (rounds.seconds() + 0.2));
  }
}
