package dev.weir.bench.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A table in Markdown that is also one on a terminal: padded, the first column to the left. */
public final class MarkdownTable {
  private final List<List<String>> rows = new ArrayList<>();

  public MarkdownTable(List<String> heads) {
    rows.add(heads);
  }

  public MarkdownTable(String... heads) {
    this(List.of(heads));
  }

  /** Adds a row of as many cells as there are heads. */
  public void add(String... cells) {
    add(List.of(cells));
  }

  /** Adds a row of as many cells as there are heads. */
  public void add(List<String> cells) {
    if (cells.size() != rows.get(0).size()) {
      throw new IllegalArgumentException(
          cells.size() + " cells (expected: " + rows.get(0).size() + ")");
    }
    rows.add(cells);
  }

  /** The heads, and behind them the rows. */
  List<List<String>> rows() {
    return List.copyOf(rows);
  }

  @Override
  public String toString() {
    final List<Integer> widths = new ArrayList<>(Collections.nCopies(rows.get(0).size(), 3));
    for (List<String> row : rows) {
      for (int column = 0; column < row.size(); column++) {
        widths.set(column, Math.max(widths.get(column), row.get(column).length()));
      }
    }
    final StringBuilder text = new StringBuilder();
    for (int i = 0; i < rows.size(); i++) {
      append(text, rows.get(i), widths);
      if (i == 0) {
        appendRule(text, widths);
      }
    }
    return text.toString();
  }

  private static void append(StringBuilder text, List<String> row, List<Integer> widths) {
    for (int column = 0; column < row.size(); column++) {
      final String cell = row.get(column);
      final String padding = " ".repeat(widths.get(column) - cell.length());
      text.append("| ").append(column == 0 ? cell + padding : padding + cell).append(' ');
    }
    text.append("|\n");
  }

  private static void appendRule(StringBuilder text, List<Integer> widths) {
    for (int column = 0; column < widths.size(); column++) {
      final String dashes = "-".repeat(widths.get(column));
      text.append('|')
          .append(column == 0 ? '-' : ' ')
          .append(dashes)
          .append(column == 0 ? '-' : ':');
    }
    text.append("|\n");
  }
}
