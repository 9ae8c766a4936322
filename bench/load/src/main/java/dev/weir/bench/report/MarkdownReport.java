package dev.weir.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A report as Markdown that reads on a terminal too: title, command, what was measured on and with,
 * then paragraphs and tables in the order in which they came.
 */
public class MarkdownReport {
  private final String title;
  private final String command;
  private final List<String> facts = new ArrayList<>();
  private final StringBuilder body = new StringBuilder();

  /**
   * An empty report.
   *
   * @param command that makes it again.
   */
  public MarkdownReport(String title, String command) {
    this.title = title;
    this.command = command;
    facts.add(Machine.processor() + ", " + Machine.system() + ", commit " + Commit.head());
  }

  /** Adds a line on what was measured on or with. */
  public final void fact(String fact) {
    facts.add(fact);
  }

  public final void fact(String format, Object... values) {
    fact(String.format(Locale.ROOT, format, values));
  }

  /** Adds a line on what was not measured. */
  public final void leftOut(String what) {
    fact("Left out: " + what);
  }

  public final void section(String heading) {
    paragraph("## " + heading);
  }

  /** Adds a paragraph as it stands. */
  public final void paragraph(String paragraph) {
    body.append(paragraph.stripTrailing()).append("\n\n");
  }

  public final void paragraph(String format, Object... values) {
    paragraph(String.format(Locale.ROOT, format, values));
  }

  public final void table(MarkdownTable table) {
    paragraph(table.toString());
  }

  public final String markdown() {
    final StringBuilder text = new StringBuilder("# " + title + "\n\n    " + command + "\n\n");
    facts.forEach(fact -> text.append("- ").append(fact).append('\n'));
    return text.append('\n').append(body.toString().stripTrailing()).append('\n').toString();
  }
}
