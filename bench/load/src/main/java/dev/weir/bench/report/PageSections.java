package dev.weir.bench.report;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** The sections of a page: what each says, its figures and facts. */
final class PageSections {
  private static final String EXPLAINED = "\\*";

  private final Html html;
  private final List<ReportSection> sections;

  PageSections(Html html, List<ReportSection> sections) {
    this.html = html;
    this.sections = sections;
  }

  void write() throws IOException {
    for (int i = 0; i < sections.size(); i++) {
      final ReportSection section = sections.get(i);
      html.raw("<section aria-labelledby=\"section-" + i + "\">\n<h2 id=\"section-" + i + "\">");
      html.text(section.title()).raw("</h2>\n");
      for (String paragraph : section.text()) {
        paragraph(paragraph);
      }
      if (section.figures() != null) {
        figures(section.title(), section.figures().rows());
      }
      if (!section.facts().isEmpty()) {
        facts(section.title(), section.facts());
      }
      html.raw("</section>\n");
    }
  }

  private void paragraph(String text) throws IOException {
    html.raw("<p>");
    final String[] parts = text.strip().split(EXPLAINED, -1);
    for (int i = 0; i < parts.length; i++) {
      if (i % 2 == 1) {
        html.element("em", parts[i]);
      } else {
        html.text(parts[i]);
      }
    }
    html.raw("</p>\n");
  }

  private void figures(String label, List<List<String>> rows) throws IOException {
    html.openTable(label, "figures").raw("<thead><tr>");
    for (String head : rows.get(0)) {
      html.columnHead(head);
    }
    html.raw("</tr></thead>\n<tbody>\n");
    for (List<String> row : rows.subList(1, rows.size())) {
      html.raw("<tr>").rowHead(row.get(0));
      for (String cell : row.subList(1, row.size())) {
        html.cell(cell);
      }
      html.raw("</tr>\n");
    }
    html.raw("</tbody>\n").closeTable();
  }

  private void facts(String label, Map<String, String> facts) throws IOException {
    html.openTable(label, "facts").raw("<tbody>\n");
    for (Map.Entry<String, String> fact : facts.entrySet()) {
      html.raw("<tr>").rowHead(fact.getKey()).cell(fact.getValue()).raw("</tr>\n");
    }
    html.raw("</tbody>\n").closeTable();
  }
}
