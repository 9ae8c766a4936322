package dev.weir.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.report.RunResult.Slice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogProcessor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunFilesTest {
  private final RunResult run = SampleRuns.run("steady", 25, 1);

  @TempDir private Path folder;

  private static Set<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
    }
  }

  private String message(Path path) {
    return assertThrows(ReportFileException.class, () -> RunFiles.read(path)).getMessage();
  }

  @Test
  void aRunIsReadAsItWasWritten() throws IOException {
    RunFiles.write(folder, run);
    assertEquals(run, RunFiles.read(folder));
    assertEquals(run, RunFiles.read(folder.resolve("run.json")));
  }

  @Test
  void aRunOfUnknownStartIsReadAsItWasWritten() throws IOException {
    final RunResult unknown =
        new RunResult(
            "line\u2028\"</script>",
            Map.of("a\nb", ""),
            List.of("\uD83D\uDE00"),
            List.of(),
            List.of(new Slice(250, 300, 5, 4, 3, 2, 1)),
            run.latencies());
    RunFiles.write(folder, unknown);
    assertEquals(unknown, RunFiles.read(folder));
  }

  @Test
  void anEmptyRunIsReadAsItWasWritten() throws IOException {
    RunFiles.write(folder, SampleRuns.empty());
    assertEquals(SampleRuns.empty(), RunFiles.read(folder));
  }

  @Test
  void aFolderHoldsTheFilesAndNothingElse() throws IOException {
    final Path made = folder.resolve("a/b");
    RunFiles.write(made, run);
    RunFiles.write(made, run);
    assertEquals(
        Set.of(
            "report.html", "run.json", "run.hlog", "run.csv", "run.hgrm", "run-uncorrected.hgrm"),
        names(made));
  }

  @Test
  void theLogIsReadByHdrHistogramsOwnProcessor() throws IOException {
    RunFiles.write(folder, run);
    assertEquals(percentiles(run.latencies().get(0)), processed());
    assertEquals(percentiles(run.latencies().get(1)), processed("-tag", "uncorrected"));
  }

  private static List<String> percentiles(LatencySeries series) {
    final Histogram total = series.total();
    return Stream.of(50.0, 90.0, 100.0)
        .map(percentile -> String.format("%12.3f", total.getValueAtPercentile(percentile) / 1e6))
        .toList();
  }

  private List<String> processed(String... more) throws IOException {
    final String out = folder.resolve("processed").toString();
    final Stream<String> args = Stream.of("-i", folder.resolve("run.hlog").toString(), "-o", out);
    new HistogramLogProcessor(Stream.concat(args, Stream.of(more)).toArray(String[]::new)).run();
    final List<String> rows =
        Files.readAllLines(Path.of(out + ".hgrm")).stream()
            .filter(line -> line.matches(" +[0-9.]+ (0\\.50*|0\\.90*|1\\.0*) .*"))
            .map(line -> line.substring(0, 12))
            .toList();
    return List.of(rows.get(0), rows.get(1), rows.get(rows.size() - 1));
  }

  @Test
  void theTableHasARowForEachSlice() throws IOException {
    RunFiles.write(folder, run);
    final List<String> rows = Files.readAllLines(folder.resolve("run.csv"));
    assertEquals(
        "start_s,due_per_s,sent_per_s,passed,refused,failed,"
            + "p50_ms,p90_ms,p99_ms,p99.9_ms,max_ms",
        rows.get(0));
    assertEquals(1 + run.slices().size(), rows.size());
    final Slice slice = run.slices().get(20);
    final Histogram latencies = run.latencies().get(0).slices().get(20).decode();
    final String[] cells = rows.get(21).split(",");
    assertEquals("20.000", cells[0]);
    assertEquals(slice.sent() + ".0", cells[2]);
    assertEquals(String.valueOf(slice.refused()), cells[4]);
    assertEquals(latencies.getMaxValue() / 1e6, Double.parseDouble(cells[10]), 1e-6);
  }

  @Test
  void aSliceWithoutLatenciesHasEmptyCells() throws IOException {
    final RunResult silent =
        new RunResult(
            "silent",
            Map.of(),
            List.of(),
            List.of(),
            List.of(new Slice(0, 500, 10, 5, 0, 0, 5)),
            List.of(new LatencySeries("", "corrected", List.of())));
    RunFiles.write(folder, silent);
    assertEquals(
        "0.000,20.0,10.0,0,0,5,,,,,", Files.readAllLines(folder.resolve("run.csv")).get(1));
  }

  @Test
  void thePlotIsInMilliseconds() throws IOException {
    RunFiles.write(folder, run);
    final String max =
        String.format("#[Max     = %12.3f", run.latencies().get(0).total().getMaxValue() / 1e6);
    assertTrue(Files.readString(folder.resolve("run.hgrm")).contains(max), max);
  }

  @Test
  void aFolderThatCannotBeMadeIsNamed() throws IOException {
    final Path file = Files.createFile(folder.resolve("file"));
    final ReportFileException fault =
        assertThrows(ReportFileException.class, () -> RunFiles.write(file, run));
    assertEquals(
        file.resolve("run.hlog") + ": cannot be written: a file is where its folder should be",
        fault.getMessage());
  }

  @Test
  void aFileThatCannotBeWrittenLeavesTheOthersAsTheyWere() throws IOException {
    Files.writeString(folder.resolve("run.hlog"), "as it was");
    Files.createDirectory(folder.resolve("run.csv"));
    assertThrows(ReportFileException.class, () -> RunFiles.write(folder, run));
    assertEquals("as it was", Files.readString(folder.resolve("run.hlog")));
    assertEquals(Set.of("run.hlog", "run.csv"), names(folder));
  }

  @Test
  void anotherFormatIsRefused() throws IOException {
    RunFiles.write(folder, run);
    final Path json = folder.resolve("run.json");
    final String text = Files.readString(json);
    Files.writeString(json, text.replace("\"version\" : 1", "\"version\" : 2"));
    assertEquals(json + ": version: 2 (expected: 1)", message(folder));
    Files.writeString(json, "{}");
    assertEquals(json + ": format: missing (expected: \"weir-bench-run\")", message(folder));
  }

  @ParameterizedTest
  @CsvSource({
    "'\"due\" : 20000', '\"due\" : \"x\"', 'slices[0].due: '",
    "'\"passed\" : false', '\"passed\" : null', 'passed: '",
    "'\"warnings\" : [ ]', '\"warnings\" : [ null ]', 'warnings'",
    "'\"name\" : \"steady\",', '', 'Missing'",
    "'\"endMs\" : 1000,', '\"endMs\" : 0,', 'slices[0]: from 0 to 0 ms (expected: '"
  })
  void aRunThatIsMalformedIsRefusedWithThePlace(String right, String wrong, String place)
      throws IOException {
    RunFiles.write(folder, run);
    final Path json = folder.resolve("run.json");
    final String text = Files.readString(json);
    assertTrue(text.contains(right), right);
    Files.writeString(json, text.replaceFirst(Pattern.quote(right), wrong));
    assertTrue(message(folder).startsWith(json + ":"), message(folder));
    assertTrue(message(folder).contains(place), message(folder));
  }

  @Test
  void aRunThatIsCutOffIsRefusedWithTheLine() throws IOException {
    RunFiles.write(folder, run);
    final Path json = folder.resolve("run.json");
    final String text = Files.readString(json);
    Files.writeString(json, text.substring(0, text.length() / 2));
    assertTrue(message(folder).matches(".*run\\.json:\\d+: .*expected: .*"), message(folder));
    Files.writeString(json, "");
    assertTrue(message(folder).startsWith(json + ":1: "), message(folder));
  }

  @Test
  void whatIsNoRunIsRefused() throws IOException {
    final String expected = " (expected: the folder of a run, its run.json, or an .hlog)";
    assertEquals(folder + ": a folder without run.json" + expected, message(folder));
    final Path missing = folder.resolve("missing");
    assertEquals(missing + ": no such file" + expected, message(missing));
    final Path other = Files.createFile(folder.resolve("notes.txt"));
    assertEquals(other + ": not of a run" + expected, message(other));
    RunFiles.write(folder, run);
    Files.delete(folder.resolve("run.hlog"));
    assertEquals(
        folder.resolve("run.hlog") + ": cannot be read: no such file or folder", message(folder));
  }

  @Test
  void aLogAloneGivesItsLatencies() throws IOException {
    RunFiles.write(folder, run);
    final Path log = folder.resolve("run.hlog");
    final RunResult read = RunFiles.read(log);
    assertEquals("run", read.name());
    assertEquals(List.of(), read.slices());
    assertEquals(SampleRuns.START_EPOCH_MS, read.startEpochMs());
    assertEquals(
        List.of("total", "uncorrected"),
        read.latencies().stream().map(LatencySeries::label).toList());
    assertEquals(run.latencies().get(0).slices(), read.latencies().get(0).slices());
  }

  @Test
  void aLogOfAKilledProcessLosesItsLastLineAlone() throws IOException {
    RunFiles.write(folder, run);
    final Path log = folder.resolve("run.hlog");
    final String text = Files.readString(log);
    Files.writeString(log, text.substring(0, text.length() - 40));
    final RunResult read = RunFiles.read(folder);
    assertEquals(1, read.warnings().size());
    assertTrue(read.warnings().get(0).startsWith("run.hlog:54: "), read.warnings().get(0));
    assertEquals(25, read.latencies().get(0).slices().size());
    assertEquals(24, read.latencies().get(1).slices().size());
    // Without the line feed alone nothing is lost.
    Files.writeString(log, text.substring(0, text.length() - 1));
    assertEquals(run, RunFiles.read(folder));
  }

  @Test
  void aLogThatIsMalformedInItsMiddleIsRefusedWithTheLine() throws IOException {
    RunFiles.write(folder, run);
    final Path log = folder.resolve("run.hlog");
    final List<String> lines = Files.readAllLines(log);
    final String interval = lines.get(10);
    lines.set(10, interval.substring(0, interval.length() - 40));
    Files.write(log, lines);
    assertTrue(
        message(log).startsWith(log + ":11: a histogram that cannot be decoded (expected: "),
        message(log));
    lines.set(10, "hello, world");
    Files.write(log, lines);
    assertEquals(
        log + ":11: \"hello, world\" (expected: [Tag=NAME,]START,LENGTH,MAX,HISTOGRAM)",
        message(log));
  }

  @ParameterizedTest
  @CsvSource({
    "'#[StartTime: 1790000000.000 (seconds since epoch), Mon]', 7",
    "'#[BaseTime: 1790000000.000 (seconds since epoch)]', 7",
    "'', 1790000007"
  })
  void aLogTellsWhenItBeganInAnyOfItsWays(String comment, long firstSecond) throws IOException {
    RunFiles.write(folder, run);
    final String interval = Files.readAllLines(folder.resolve("run.hlog")).get(4);
    final String histogram = interval.substring(interval.lastIndexOf(',') + 1);
    final Path log = folder.resolve("sidecar.hlog");
    Files.writeString(
        log,
        comment
            + "\nTag=store,"
            + (firstSecond + 1)
            + ".000,1.000,0.000,"
            + histogram
            + "\n"
            + firstSecond
            + ".000,1.000,0.000,"
            + histogram
            + "\n");
    final RunResult read = RunFiles.read(log);
    assertEquals(1_790_000_007_000L, read.startEpochMs());
    assertEquals(
        List.of("total", "store"), read.latencies().stream().map(LatencySeries::label).toList());
    assertEquals(0, read.latencies().get(0).slices().get(0).startMs());
    assertEquals(1000, read.latencies().get(1).slices().get(0).startMs());
  }

  @Test
  void aLogThatIsNotOfTheRunIsRefused() throws IOException {
    RunFiles.write(folder, run);
    final Path log = folder.resolve("run.hlog");
    Files.writeString(
        log, Files.readString(log).replace("#[BaseTime: 1790000000.000", "#[BaseTime: 0.000"));
    assertEquals(
        log + ":5: an interval at 0.000 s (expected: none before the run)",
        message(log.getParent()));
  }

  @Test
  void aLogWithoutIntervalsIsRefused() throws IOException {
    final Path log = folder.resolve("empty.hlog");
    Files.writeString(log, "#[Histogram log format version 1.3]\n");
    assertEquals(log + ": no interval (expected: at least one)", message(log));
    assertFalse(Files.exists(folder.resolve("run.json")));
  }

  @Test
  void aLogOfAnotherUnitIsReadWithAWarning() throws IOException {
    RunFiles.write(folder, run);
    final Path log = folder.resolve("run.hlog");
    final String text = Files.readString(log);
    Files.writeString(
        log, text.replaceAll("(?m)^(Tag=[a-z]+,)?([0-9.]+,[0-9.]+),[0-9.]+,", "$1$2,9999.0,"));
    assertEquals(1, RunFiles.read(log).warnings().size());
    assertTrue(RunFiles.read(log).warnings().get(0).contains("nanoseconds"));
  }

  @Test
  void aLongLogKeepsEveryLatencyInFewerIntervals() throws IOException {
    final RunResult hours = SampleRuns.run("hours", 1, 1);
    RunFiles.write(folder, hours);
    final Path log = folder.resolve("run.hlog");
    final List<String> lines = Files.readAllLines(log);
    final String histogram = lines.get(4).substring(lines.get(4).lastIndexOf(',') + 1);
    final StringBuilder text = new StringBuilder();
    for (int i = 0; i <= IntervalLog.MOST_INTERVALS; i++) {
      text.append(i).append(".000,1.000,0.000,").append(histogram).append('\n');
    }
    final Path longer = folder.resolve("longer.hlog");
    Files.writeString(longer, text);
    final LatencySeries read = RunFiles.read(longer).latencies().get(0);
    assertEquals(IntervalLog.MOST_INTERVALS / 2 + 1, read.slices().size());
    assertEquals(2000, read.slices().get(0).endMs());
    final long count = hours.latencies().get(0).total().getTotalCount();
    assertEquals((IntervalLog.MOST_INTERVALS + 1) * count, read.total().getTotalCount());
  }
}
