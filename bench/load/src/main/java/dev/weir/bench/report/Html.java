package dev.weir.bench.report;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** Markup of pages. A cell is markup; what is to stay text in it goes through {@link #text}. */
final class Html {
  private Html() {}

  /** A text as it stands in an element, or in an attribute between double quotes. */
  static String text(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }

  static List<String> texts(Collection<String> texts) {
    return texts.stream().map(Html::text).toList();
  }

  /** A row of a table, whose first cell is its head. */
  static String row(List<String> cells) {
    return cells.stream()
        .skip(1)
        .map(cell -> "<td>" + cell + "</td>")
        .collect(
            Collectors.joining("", "<tr><th scope=\"row\">" + cells.get(0) + "</th>", "</tr>\n"));
  }

  /**
   * A table in a box of its own, which alone is moved where the window is narrow.
   *
   * @param heads of the columns; none for a table without.
   * @param rows as {@link #row} makes them.
   */
  static String table(String label, String kind, List<String> heads, String rows) {
    final String head =
        heads.isEmpty()
            ? ""
            : heads.stream()
                .map(cell -> cell.isEmpty() ? "<td></td>" : "<th scope=\"col\">" + cell + "</th>")
                .collect(Collectors.joining("", "<thead><tr>", "</tr></thead>\n"));
    return "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\""
        + text(label)
        + "\">\n<table class=\""
        + kind
        + "\">\n"
        + head
        + "<tbody>\n"
        + rows
        + "</tbody>\n</table>\n</div>\n";
  }

  /** A part of a page with a title. */
  static String section(String id, String title, String content) {
    return "<section aria-labelledby=\""
        + id
        + "\">\n<h2 id=\""
        + id
        + "\">"
        + text(title)
        + "</h2>\n"
        + content
        + "</section>\n";
  }
}
