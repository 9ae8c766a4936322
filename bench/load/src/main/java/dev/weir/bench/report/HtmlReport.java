package dev.weir.bench.report;

import dev.weir.bench.report.RunResult.Check;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs, and what else was measured, as one page of HTML that needs nothing else: no network, and no
 * script for its figures. The charts are drawn by Chart.js, which is in the page with its licence.
 * The first of several runs is the one with which the others are compared.
 */
public final class HtmlReport {
  private static final String LIBRARY = "/META-INF/resources/webjars/chart.js/4.5.1/";

  private final String title;
  private final List<Check> checks;
  private final List<ReportSection> sections;
  private final List<RunView> runs;

  /**
   * A page of runs alone.
   *
   * @param runs one or more; names tell them apart.
   */
  public HtmlReport(List<RunResult> runs) {
    this(title(runs), List.of(), List.of(), runs);
  }

  /**
   * A page of sections, and of runs behind them.
   *
   * @param checks by which the page says at its top whether all is well.
   * @param runs which may be none.
   */
  public HtmlReport(
      String title, List<Check> checks, List<ReportSection> sections, List<RunResult> runs) {
    this.title = title;
    this.checks = checks;
    this.sections = sections;
    this.runs = runs.stream().map(RunView::of).toList();
  }

  /**
   * Writes the page; what the file held is replaced once the page is whole.
   *
   * @throws ReportFileException naming the file and the cause.
   */
  public void write(Path file) throws ReportFileException {
    try (OutputFiles files = new OutputFiles()) {
      files.write(file, page());
      files.publish();
    }
  }

  String page() {
    final Page page = new Page(runs);
    // Nothing is loaded, whatever a name may say: not even by an error of ours.
    return String.join(
        "",
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
        script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>""",
        Html.text(title),
        " – weir bench</title>\n<style>\n",
        own("report.css"),
        """
        </style>
        <noscript><style>.chart { display: none; }</style></noscript>
        </head>
        <body>
        <main>
        """,
        page.header(title, checks),
        Page.sections(sections),
        runs.isEmpty() ? "" : page.figures() + page.charts() + page.tables(),
        """
        </main>
        <footer>Written by <code>weir bench</code>. Charts are drawn by Chart.js, \
        which is under the MIT licence.</footer>
        <script type="application/json" id="runs">""",
        PageData.of(runs),
        "</script>\n<!--\n",
        library("LICENSE.md"),
        "-->\n<script>\n",
        withoutMap(library("dist/chart.umd.min.js")),
        "</script>\n<script>\n",
        own("report.js"),
        "</script>\n</body>\n</html>\n");
  }

  private static String title(List<RunResult> runs) {
    return runs.size() == 1
        ? runs.get(0).name()
        : runs.size() + " runs beside " + runs.get(0).name();
  }

  // The map of the sources is not beside a report, and must not be asked for.
  private static String withoutMap(String script) {
    return script.replaceAll("(?m)^//# sourceMappingURL=.*\\R?", "");
  }

  private static String library(String file) {
    return resource(LIBRARY + file);
  }

  private static String own(String file) {
    return resource("/dev/weir/bench/report/" + file);
  }

  private static String resource(String path) {
    try (InputStream in = HtmlReport.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("not in the jar: " + path);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
