package dev.weir.bench.report;

import java.util.List;
import java.util.Map;

/**
 * A part of a report: what it says, and its figures or facts.
 *
 * @param text paragraphs, without markup but {@code *a word*} that is explained.
 * @param figures null for none.
 * @param facts by name, in their order.
 */
public record ReportSection(
    String title, List<String> text, MarkdownTable figures, Map<String, String> facts) {
  public ReportSection(String title, List<String> text, MarkdownTable figures) {
    this(title, text, figures, Map.of());
  }

  public ReportSection(String title, Map<String, String> facts) {
    this(title, List.of(), null, facts);
  }

  /** The section as Markdown, ending with an empty line. */
  public String markdown() {
    final StringBuilder markdown = new StringBuilder("## " + title + "\n\n");
    text.forEach(paragraph -> markdown.append(paragraph.strip()).append("\n\n"));
    if (figures != null) {
      markdown.append(figures).append('\n');
    }
    if (!facts.isEmpty()) {
      facts.forEach((name, fact) -> markdown.append("- " + name + ": " + fact + "\n"));
      markdown.append('\n');
    }
    return markdown.toString();
  }
}
