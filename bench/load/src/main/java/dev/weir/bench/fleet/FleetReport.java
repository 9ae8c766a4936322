package dev.weir.bench.fleet;

import dev.weir.bench.report.HtmlReport;
import dev.weir.bench.report.MarkdownTable;
import dev.weir.bench.report.ReportFileException;
import dev.weir.bench.report.ReportSection;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.report.RunResult.Check;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The report on a fleet, as Markdown that reads on a terminal too, and as a page. */
final class FleetReport {
  private static final String TITLE = "What a fleet lets pass";
  private static final String OVER =
      """
      *over* is by how many requests the worst window was over the limit, of which it is only known that each was
      admitted between its sending and its answer: what counts is over wherever in between that was. *less* is how many
      fewer were admitted than by one limiter without delay, and *early* how many were refused though what had been
      admitted left room, both of those that came: under overload a unit that came back a moment ago makes a refusal early,
      and *less* is what counts. *undecided* had no decision in time, and did not pass.
      """;

  private final Map<String, String> facts = new LinkedHashMap<>();
  private final List<ReportSection> sections = new ArrayList<>();
  private final List<Check> checks = new ArrayList<>();
  private final List<RunResult> runs = new ArrayList<>();

  FleetReport() {
    sections.add(new ReportSection("What the figures say", List.of(OVER), null));
  }

  /** Something to know about how it was measured. */
  void fact(String name, String value) {
    facts.put(name, value);
  }

  /** Adds figures, with a paragraph on them that is formatted. */
  void section(String title, MarkdownTable table, String text, Object... values) {
    final String paragraph = String.format(Locale.ROOT, text, values);
    sections.add(new ReportSection(title, List.of(paragraph), table));
  }

  void section(String title, Map<String, String> meanings) {
    sections.add(new ReportSection(title, meanings));
  }

  /** Notes by how many requests a limit was exceeded, which must be none unless it may be. */
  void over(String what, double over, boolean mayBe) {
    checks.add(new Check(what + ": over 0", number(over), over == 0 || mayBe));
  }

  void runs(List<RunResult> ofModes) {
    runs.addAll(ofModes);
  }

  boolean passed() {
    return checks.stream().allMatch(Check::passed);
  }

  static String number(double value) {
    return String.format(Locale.ROOT, "%.0f", value);
  }

  static String decimals(double value, int decimals) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%." + decimals + "f", value);
  }

  /**
   * All of it.
   *
   * @param command that makes it again.
   */
  String markdown(String command) {
    final StringBuilder text = new StringBuilder("# " + TITLE + "\n\n    " + command + "\n\n");
    facts.forEach((name, value) -> text.append("- " + name + ": " + value + "\n"));
    text.append('\n');
    sections.forEach(section -> text.append(section.markdown()));
    return text.toString().stripTrailing() + "\n";
  }

  /**
   * Writes it as a page of HTML.
   *
   * @throws ReportFileException naming the file and the cause.
   */
  void writePage(Path file, String command) throws ReportFileException {
    final Map<String, String> measured = new LinkedHashMap<>();
    measured.put("Command", command);
    measured.putAll(facts);
    final List<ReportSection> all = new ArrayList<>(sections);
    all.add(new ReportSection("How it was measured", measured));
    new HtmlReport(TITLE, checks, all, runs).write(file);
  }
}
