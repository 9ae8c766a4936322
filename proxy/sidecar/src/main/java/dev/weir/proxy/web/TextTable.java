package dev.weir.proxy.web;

import java.util.ArrayList;
import java.util.List;

/** A table in plain text: columns of texts, flush left, then columns of numbers, flush right. */
public final class TextTable {
  private static final String GAP = "  ";

  private final int textColumns;
  private final int[] widths;
  private final List<String[]> rows = new ArrayList<>();

  public TextTable(int textColumns, String... headings) {
    this.textColumns = textColumns;
    widths = new int[headings.length];
    add(headings);
  }

  /** Adds a row with a cell for each heading. */
  public void row(List<?> cells) {
    add(cells.stream().map(Object::toString).toArray(String[]::new));
  }

  private void add(String[] row) {
    rows.add(row);
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], row[i].length());
    }
  }

  /** Whether it has headings only. */
  boolean isEmpty() {
    return rows.size() == 1;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.length; i++) {
        String space = " ".repeat(widths[i] - row[i].length());
        line.append(i == 0 ? "" : GAP);
        line.append(i < textColumns ? row[i] + space : space + row[i]);
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
