package dev.weir.bench.rounds;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Figures of rounds, by what it was measured at and who was measured. Rounds are in order of time.
 *
 * @param <C> what it was measured at.
 * @param <F> the figures of one round.
 */
public final class RoundTable<C, F> {
  private final Map<C, Map<String, List<F>>> figures = new LinkedHashMap<>();

  public void add(C cell, String name, F round) {
    figures
        .computeIfAbsent(cell, any -> new LinkedHashMap<>())
        .computeIfAbsent(name, any -> new ArrayList<>())
        .add(round);
  }

  /** In the order in which they were measured first. */
  public List<C> cells() {
    return List.copyOf(figures.keySet());
  }

  public List<String> names(C cell) {
    return List.copyOf(figures.getOrDefault(cell, Map.of()).keySet());
  }

  /** Round by round; none if it was not measured. */
  public double[] rounds(C cell, String name, ToDoubleFunction<F> figure) {
    return figures.getOrDefault(cell, Map.of()).getOrDefault(name, List.of()).stream()
        .mapToDouble(figure)
        .toArray();
  }

  public String sum(C cell, String name, ToDoubleFunction<F> figure) {
    return Long.toString((long) Arrays.stream(rounds(cell, name, figure)).sum());
  }

  public Spread spread(C cell, String name, ToDoubleFunction<F> figure) {
    return Spread.of(rounds(cell, name, figure));
  }

  /** To another's figure of the same round. */
  public Spread ratio(C cell, String name, String to, ToDoubleFunction<F> figure) {
    return Spread.ratio(rounds(cell, name, figure), rounds(cell, to, figure));
  }
}
