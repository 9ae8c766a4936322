package dev.weir.bench.report;

import java.util.List;

/**
 * A part of a report: what it says, and a table.
 *
 * @param text paragraphs, without markup but {@code *a word*} that is explained.
 * @param table null for none.
 */
public record ReportSection(String title, List<String> text, MarkdownTable table) {
  /** As Markdown, ending with an empty line. */
  public String markdown() {
    final StringBuilder markdown = new StringBuilder("## " + title + "\n\n");
    text.forEach(paragraph -> markdown.append(paragraph.strip()).append("\n\n"));
    if (table != null) {
      markdown.append(table).append('\n');
    }
    return markdown.toString();
  }
}
