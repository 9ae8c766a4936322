package dev.weir.bench.report;

import dev.weir.bench.report.LatencySeries.TimedHistogram;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A run as files of a folder: {@code report.html} for people, {@code run.json} and {@code run.hlog}
 * from which it can be read again, {@code run.csv} for spreadsheets, and for HdrHistogram's
 * plotters {@code run.hgrm} and, of each further series, {@code run-TAG.hgrm}.
 */
public final class RunFiles {
  private static final String REPORT = "report.html";
  static final String JSON = "run.json";
  static final String LOG = "run.hlog";
  private static final String CSV = "run.csv";
  private static final String LOG_SUFFIX = ".hlog";
  private static final String JSON_SUFFIX = ".json";
  private static final String EXPECTED = "the folder of a run, its run.json, or an .hlog";

  private static final int TICKS_PER_HALF_DISTANCE = 5;
  private static final double NS_PER_MS = 1e6;

  private RunFiles() {}

  /**
   * Writes all files of a run, or none. What the folder held of the same names is replaced.
   *
   * @param folder made where there is none.
   * @throws ReportFileException naming the file and the cause.
   */
  public static void write(Path folder, RunResult run) throws ReportFileException {
    try (OutputFiles files = new OutputFiles()) {
      files.write(
          folder.resolve(LOG), out -> IntervalLog.write(out, run.startEpochMs(), run.latencies()));
      writeDerived(files, folder, run);
      files.write(folder.resolve(JSON), RunJson.of(run));
      files.publish();
    }
  }

  /**
   * Writes the files that a run can be shown by and not be read again from, or none: all but {@code
   * run.json} and {@code run.hlog}.
   *
   * @throws ReportFileException naming the file and the cause.
   */
  static void writeDerived(Path folder, RunResult run) throws ReportFileException {
    try (OutputFiles files = new OutputFiles()) {
      writeDerived(files, folder, run);
      files.publish();
    }
  }

  private static void writeDerived(OutputFiles files, Path folder, RunResult run)
      throws ReportFileException {
    files.write(folder.resolve(CSV), SliceCsv.of(run));
    for (LatencySeries series : run.latencies()) {
      final String tag = series.tag().isEmpty() ? "" : "-" + series.tag();
      files.write(folder.resolve("run" + tag + ".hgrm"), out -> writePlot(out, series));
    }
    files.write(folder.resolve(REPORT), new HtmlReport(List.of(run)).page());
  }

  private static void writePlot(OutputStream out, LatencySeries series) {
    final PrintStream text = new PrintStream(out, false, StandardCharsets.US_ASCII);
    series.total().outputPercentileDistribution(text, TICKS_PER_HALF_DISTANCE, NS_PER_MS);
    // In the form of the summary lines before it, which plotters skip.
    text.print("#[Unit    = milliseconds]\n");
    text.flush();
  }

  /**
   * A run as it was written, or as much of one as a log of intervals holds: the latencies, the
   * first of them without a tag. A last line of the log that was cut off is left out, and a warning
   * of the result says so.
   *
   * @param path the folder of a run, its {@code run.json}, or an {@code .hlog} of any program whose
   *     values are nanoseconds.
   * @throws ReportFileException naming the file, the place in it and what was expected.
   */
  public static RunResult read(Path path) throws ReportFileException {
    final String name = path.toAbsolutePath().getFileName() + "";
    if (Files.isDirectory(path)) {
      if (!Files.exists(path.resolve(JSON))) {
        throw new ReportFileException(
            path + ": a folder without " + JSON + " (expected: " + EXPECTED + ")");
      }
      return readRun(path.resolve(JSON));
    }
    if (!Files.exists(path)) {
      throw new ReportFileException(path + ": no such file (expected: " + EXPECTED + ")");
    }
    if (name.endsWith(JSON_SUFFIX)) {
      return readRun(path);
    }
    if (name.endsWith(LOG_SUFFIX)) {
      return readLog(path, name.substring(0, name.length() - LOG_SUFFIX.length()));
    }
    throw new ReportFileException(path + ": not of a run (expected: " + EXPECTED + ")");
  }

  private static RunResult readRun(Path json) throws ReportFileException {
    final RunResult run = RunJson.read(json);
    final IntervalLog.Content log = IntervalLog.read(json.resolveSibling(LOG), run.startEpochMs());
    final List<String> warnings = new ArrayList<>(run.warnings());
    warnings.addAll(log.warnings());
    return new RunResult(
        run.name(),
        run.facts(),
        warnings,
        run.checks(),
        run.slices(),
        run.latencies().stream()
            .map(
                series ->
                    new LatencySeries(
                        series.tag(),
                        series.label(),
                        log.series().getOrDefault(series.tag(), List.of())))
            .toList(),
        run.startEpochMs());
  }

  private static RunResult readLog(Path file, String name) throws ReportFileException {
    final IntervalLog.Content log = IntervalLog.read(file, IntervalLog.FIRST_INTERVAL);
    if (log.series().isEmpty()) {
      throw new ReportFileException(file + ": no interval (expected: at least one)");
    }
    final List<LatencySeries> latencies = new ArrayList<>();
    for (Map.Entry<String, List<TimedHistogram>> series : log.series().entrySet()) {
      final String tag = series.getKey();
      if (tag.isEmpty()) {
        latencies.add(0, new LatencySeries(tag, "total", series.getValue()));
      } else {
        latencies.add(new LatencySeries(tag, tag, series.getValue()));
      }
    }
    return new RunResult(
        name,
        Map.of("Log", file.toString()),
        log.warnings(),
        List.of(),
        List.of(),
        latencies,
        log.startEpochMs());
  }
}
