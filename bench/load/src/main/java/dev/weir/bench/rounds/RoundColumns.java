package dev.weir.bench.rounds;

import dev.weir.bench.report.MarkdownTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * The columns of a table with a row for each cell of a {@link RoundTable} and each name in it: by
 * each head, the text of a row.
 *
 * @param <C> what it was measured at.
 * @param <F> the figures of one round.
 */
public final class RoundColumns<C, F> {
  private final RoundTable<C, F> figures;
  private final List<String> heads = new ArrayList<>();
  private final List<BiFunction<C, String, String>> texts = new ArrayList<>();

  public RoundColumns(RoundTable<C, F> figures) {
    this.figures = figures;
  }

  public RoundColumns<C, F> text(String head, BiFunction<C, String, String> text) {
    heads.add(head);
    texts.add(text);
    return this;
  }

  public RoundColumns<C, F> cell(String head, Function<C, Object> text) {
    return text(head, (cell, name) -> text.apply(cell).toString());
  }

  public RoundColumns<C, F> name(String head) {
    return text(head, (cell, name) -> name);
  }

  public RoundColumns<C, F> spread(String head, ToDoubleFunction<F> figure, int decimals) {
    return text(head, (cell, name) -> figures.spread(cell, name, figure).text(decimals));
  }

  /** The median of a figure alone, as a whole number. */
  public RoundColumns<C, F> median(String head, ToDoubleFunction<F> figure) {
    return text(head, (cell, name) -> figures.spread(cell, name, figure).medianText(0));
  }

  /** A figure relative to that of another name in the same round. */
  public RoundColumns<C, F> ratio(String head, String to, ToDoubleFunction<F> figure) {
    return text(head, (cell, name) -> figures.ratio(cell, name, to, figure).text(2));
  }

  public MarkdownTable table() {
    return table(cell -> true);
  }

  public MarkdownTable table(Predicate<C> wanted) {
    return table((cell, name) -> wanted.test(cell));
  }

  public MarkdownTable table(BiPredicate<C, String> wanted) {
    final MarkdownTable table = new MarkdownTable(heads);
    for (C cell : figures.cells()) {
      for (String name : figures.names(cell)) {
        if (wanted.test(cell, name)) {
          table.add(texts.stream().map(text -> text.apply(cell, name)).toList());
        }
      }
    }
    return table;
  }
}
