package dev.weir.bench.store;

import dev.weir.bench.rounds.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The samples of every variant, one per round. */
final class Results {
  private final Map<String, List<Sample>> samples = new LinkedHashMap<>();

  void add(String id, Sample sample) {
    samples.computeIfAbsent(id, any -> new ArrayList<>()).add(sample);
  }

  /** Round by round; empty if it was not measured. */
  List<Sample> of(String id) {
    return samples.getOrDefault(id, List.of());
  }

  /** A figure of every round. */
  Spread spread(String id, ToDoubleFunction<Sample> figure) {
    return Spread.of(figures(id, figure));
  }

  /** A figure relative to another variant's of the same round. */
  Spread ratio(String id, String to, ToDoubleFunction<Sample> figure) {
    return Spread.ratio(figures(id, figure), figures(to, figure));
  }

  private double[] figures(String id, ToDoubleFunction<Sample> figure) {
    return of(id).stream().mapToDouble(figure).toArray();
  }
}
