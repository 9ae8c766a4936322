package dev.weir.bench.http2;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a proof has found, as rows of a table. */
final class ProofReport {
  private final List<String> lines = new ArrayList<>();

  /** Begins a table. */
  void table(String... columns) {
    lines.add("");
    row((Object[]) columns);
    lines.add("|" + "---|".repeat(columns.length));
  }

  /** Adds a row; numbers with a fraction are rounded to two digits behind the point. */
  void row(Object... cells) {
    final StringBuilder row = new StringBuilder("|");
    for (Object cell : cells) {
      row.append(' ')
          .append(cell instanceof Double ? String.format(Locale.ROOT, "%,.2f", cell) : cell)
          .append(" |");
    }
    lines.add(row.toString());
    System.err.println(row); // a proof takes minutes
  }

  /** Fails unless it holds. */
  static void require(boolean holds, String otherwise) throws IOException {
    if (!holds) {
      throw new IOException(otherwise);
    }
  }

  @Override
  public String toString() {
    return String.join("\n", lines) + "\n";
  }
}
