package dev.weir.bench.compare;

import dev.weir.bench.report.MarkdownTable;
import dev.weir.bench.rounds.Spread;
import dev.weir.bench.store.StoreComparison.Figures;
import dev.weir.bench.store.StoreComparison.Row;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The figures of decisions against a store. */
final class StoreTable {
  private StoreTable() {}

  /**
   * One line per row.
   *
   * @param figures Weir's row is the first of its number of keys.
   */
  static String of(Map<Row, List<Figures>> figures) {
    final MarkdownTable table =
        new MarkdownTable(
            "asked by",
            "keys",
            "decisions/s",
            "us/decision, Redis",
            "us/decision, client",
            "p50 us",
            "p99 us",
            "Redis us, this to Weir's",
            "client us, this to Weir's",
            "decisions/s, Weir's to this",
            "undecided");
    int keys = -1;
    List<Figures> weir = List.of();
    for (Map.Entry<Row, List<Figures>> entry : figures.entrySet()) {
      final List<Figures> rounds = entry.getValue();
      if (entry.getKey().keys() != keys) {
        keys = entry.getKey().keys();
        weir = rounds;
      }
      table.add(
          entry.getKey().label(),
          Integer.toString(keys),
          text(rounds, Figures::perSecond, 0),
          text(rounds, Figures::serverUs, 2),
          text(rounds, Figures::clientUs, 2),
          text(rounds, Figures::p50Us, 0),
          text(rounds, Figures::p99Us, 0),
          ratio(rounds, weir, Figures::serverUs),
          ratio(rounds, weir, Figures::clientUs),
          ratio(weir, rounds, Figures::perSecond),
          Long.toString(rounds.stream().mapToLong(Figures::undecided).sum()));
    }
    return table.toString();
  }

  private static String text(List<Figures> rounds, ToDoubleFunction<Figures> figure, int decimals) {
    return Spread.of(values(rounds, figure)).text(decimals);
  }

  private static String ratio(
      List<Figures> rounds, List<Figures> to, ToDoubleFunction<Figures> figure) {
    return Spread.ratio(values(rounds, figure), values(to, figure)).text(2);
  }

  private static double[] values(List<Figures> rounds, ToDoubleFunction<Figures> figure) {
    return rounds.stream().mapToDouble(figure).toArray();
  }
}
