package dev.weir.bench.report;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.weir.bench.report.RunResult.Check;
import dev.weir.bench.report.RunResult.Slice;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * A run as JSON, but for its latencies, which are in the log of intervals beside it: here they are
 * only summed up, for whoever reads no histograms.
 */
final class RunJson {
  private static final String FORMAT = "weir-bench-run";
  private static final int VERSION = 1;
  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99, 100};
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .defaultSetterInfo(JsonSetter.Value.forContentNulls(Nulls.FAIL))
          .build();

  private RunJson() {}

  /** The file's fields. What can be told from the others is there for programs that read it. */
  private record Document(
      String format,
      int version,
      String name,
      long startEpochMs,
      boolean passed,
      RunTotals totals,
      List<Series> latencies,
      List<Check> checks,
      List<String> warnings,
      Map<String, String> facts,
      List<Slice> slices) {}

  private record Series(String tag, String label, long count, Map<String, Double> percentilesMs) {
    static Series of(LatencySeries latencies) {
      final Histogram total = latencies.total();
      final Map<String, Double> percentilesMs = new LinkedHashMap<>();
      if (total.getTotalCount() > 0) {
        for (double percentile : PERCENTILES) {
          percentilesMs.put(
              FigureText.percentile(percentile),
              FigureText.ms(total.getValueAtPercentile(percentile)));
        }
      }
      return new Series(latencies.tag(), latencies.label(), total.getTotalCount(), percentilesMs);
    }
  }

  static String of(RunResult run) {
    final Document document =
        new Document(
            FORMAT,
            VERSION,
            run.name(),
            run.startEpochMs(),
            run.passed(),
            RunTotals.of(run.slices()),
            run.latencies().stream().map(Series::of).toList(),
            run.checks(),
            run.warnings(),
            run.facts(),
            run.slices());
    try {
      return JSON.writeValueAsString(document) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The run but for its latencies: of each series, tag and label alone. */
  static RunResult read(Path file) throws ReportFileException {
    final JsonNode head = parsed(file, JsonNode.class);
    expect(file, "format", head.path("format"), "\"" + FORMAT + "\"");
    expect(file, "version", head.path("version"), String.valueOf(VERSION));
    final Document document = parsed(file, Document.class);
    long atMs = 0;
    for (int i = 0; i < document.slices.size(); i++) {
      final Slice slice = document.slices.get(i);
      if (slice.startMs() < atMs || slice.endMs() <= slice.startMs()) {
        throw new ReportFileException(
            file
                + ": slices["
                + i
                + "]: from "
                + slice.startMs()
                + " to "
                + slice.endMs()
                + " ms (expected: from "
                + atMs
                + " ms or later, to later than that)");
      }
      atMs = slice.endMs();
    }
    return new RunResult(
        document.name,
        document.facts,
        document.warnings,
        document.checks,
        document.slices,
        document.latencies.stream()
            .map(series -> new LatencySeries(series.tag, series.label, List.of()))
            .toList(),
        document.startEpochMs);
  }

  private static void expect(Path file, String field, JsonNode found, String expected)
      throws ReportFileException {
    if (!found.toString().equals(expected)) {
      throw new ReportFileException(
          file
              + ": "
              + field
              + ": "
              + (found.isMissingNode() ? "missing" : found)
              + " (expected: "
              + expected
              + ")");
    }
  }

  private static <T> T parsed(Path file, Class<T> type) throws ReportFileException {
    try (Reader in = Files.newBufferedReader(file)) {
      final T value = JSON.readValue(in, type);
      if (value == null) {
        throw ReportFileException.malformed(file, 1, "nothing", "a run as JSON");
      }
      return value;
    } catch (JsonMappingException e) {
      throw ReportFileException.malformed(
          file, line(e), fields(e.getPath()) + ": " + text(e), "as weir bench wrote it");
    } catch (JsonProcessingException e) {
      throw ReportFileException.malformed(file, line(e), text(e), "a run as JSON");
    } catch (CharacterCodingException e) {
      throw ReportFileException.malformed(file, 1, "bytes that are not UTF-8", "a run as JSON");
    } catch (ReportFileException e) {
      throw e;
    } catch (IOException e) {
      throw ReportFileException.notRead(file, e);
    }
  }

  private static long line(JsonProcessingException fault) {
    return fault.getLocation() == null ? 1 : Math.max(1, fault.getLocation().getLineNr());
  }

  // Where Jackson goes on, it repeats the place, and names Java types.
  private static String text(JsonProcessingException fault) {
    return fault.getOriginalMessage().lines().findFirst().orElse("not JSON");
  }

  private static String fields(List<JsonMappingException.Reference> path) {
    return path.stream()
        .map(at -> at.getFieldName() == null ? "[" + at.getIndex() + "]" : "." + at.getFieldName())
        .collect(Collectors.joining())
        .replaceFirst("^\\.", "");
  }
}
