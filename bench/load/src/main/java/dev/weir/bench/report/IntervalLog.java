package dev.weir.bench.report;

import dev.weir.bench.report.LatencySeries.TimedHistogram;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.HistogramLogWriter;

/**
 * HdrHistogram's log of intervals: a line for each part of a run and series, those of the first
 * series without a tag. Values are nanoseconds, the maximum beside them milliseconds.
 */
final class IntervalLog {
  /**
   * The most slices of a series; beyond it neighbours are merged in pairs, so that the log of a
   * week can be read.
   */
  static final int MOST_INTERVALS = 4096;

  /** Instead of a time: times from that of the first interval. */
  static final long FIRST_INTERVAL = -1;

  private static final double NS_PER_MS = 1e6;
  private static final double MS_PER_S = 1e3;
  private static final double LEAST_EPOCH_S = 365 * 24 * 3600;
  private static final int MOST_LINE_CHARS = 1 << 22;

  private static final Pattern TIME =
      Pattern.compile("#\\[(StartTime|BaseTime): ([0-9]+(?:\\.[0-9]+)?) .*");
  private static final Pattern INTERVAL =
      Pattern.compile(
          "(?:Tag=([^,\\s]+),)?([0-9]+(?:\\.[0-9]+)?),([0-9]+(?:\\.[0-9]+)?),([0-9]+(?:\\.[0-9]+)?),"
              + "([A-Za-z0-9+/]+=*)");
  private static final String EXPECTED = "[Tag=NAME,]START,LENGTH,MAX,HISTOGRAM";

  private IntervalLog() {}

  /**
   * The content of a log.
   *
   * @param startEpochMs of its first interval, as far as the log tells; 0 otherwise.
   * @param series by tag, empty for none, in the order in which they come; times since the start.
   * @param warnings what was left out.
   */
  record Content(
      long startEpochMs, Map<String, List<TimedHistogram>> series, List<String> warnings) {}

  /**
   * @param startEpochMs of the run; 0 where it is not known.
   */
  static void write(OutputStream out, long startEpochMs, List<LatencySeries> latencies) {
    final PrintStream text = new PrintStream(out, false, StandardCharsets.US_ASCII);
    final HistogramLogWriter log = new HistogramLogWriter(text);
    log.outputLogFormatVersion();
    log.outputBaseTime(startEpochMs);
    log.outputStartTime(startEpochMs);
    log.outputLegend();
    final int[] next = new int[latencies.size()];
    for (int at = first(latencies, next); at >= 0; at = first(latencies, next)) {
      final TimedHistogram interval = latencies.get(at).slices().get(next[at]++);
      final Histogram histogram = interval.decode();
      histogram.setTag(latencies.get(at).tag().isEmpty() ? null : latencies.get(at).tag());
      log.outputIntervalHistogram(
          interval.startMs() / MS_PER_S, interval.endMs() / MS_PER_S, histogram, NS_PER_MS);
    }
    text.flush();
  }

  // HdrHistogram's own processor stops at the first line after the range that it was asked for.
  private static int first(List<LatencySeries> latencies, int[] next) {
    int first = -1;
    long least = Long.MAX_VALUE;
    for (int i = 0; i < next.length; i++) {
      final List<TimedHistogram> slices = latencies.get(i).slices();
      if (next[i] < slices.size() && slices.get(next[i]).startMs() < least) {
        first = i;
        least = slices.get(next[i]).startMs();
      }
    }
    return first;
  }

  /**
   * Reads a log of any program, as long as its values are nanoseconds. Where the last line was cut
   * off, as of a process that was killed, it is left out and a warning says so.
   *
   * @param originMs what the times are given from, in milliseconds of the log's own time; or {@link
   *     #FIRST_INTERVAL}.
   */
  static Content read(Path file, long originMs) throws ReportFileException {
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
      return new Reading(file, originMs).read(lines);
    } catch (ReportFileException e) {
      throw e;
    } catch (IOException e) {
      throw ReportFileException.notRead(file, e);
    }
  }

  /** The state of reading a log. */
  private static final class Reading {
    private final Path file;
    private final long givenOriginMs;
    private final Map<String, List<TimedHistogram>> series = new LinkedHashMap<>();
    private final List<String> warnings = new ArrayList<>();
    private double baseSeconds;
    private double startSeconds;
    private boolean otherUnit;
    private long line;

    Reading(Path file, long givenOriginMs) {
      this.file = file;
      this.givenOriginMs = givenOriginMs;
    }

    Content read(BufferedReader lines) throws IOException {
      final StringBuilder text = new StringBuilder();
      boolean ended;
      do {
        line++;
        ended = next(lines, text);
        try {
          accept(text.toString());
        } catch (ReportFileException e) {
          if (ended) {
            throw e;
          }
          warnings.add(
              file.getFileName()
                  + ":"
                  + line
                  + ": the last line was cut off, and is left out: whatever wrote the log did not"
                  + " end in order.");
        }
      } while (ended);
      if (otherUnit) {
        warnings.add(
            file.getFileName()
                + ": its histograms do not seem to hold nanoseconds, as which they are read here.");
      }
      // Intervals of several tags need not come in the order of time.
      final long firstMs =
          series.values().stream()
              .flatMap(List::stream)
              .mapToLong(TimedHistogram::startMs)
              .min()
              .orElse(0);
      final long originMs = givenOriginMs == FIRST_INTERVAL ? firstMs : givenOriginMs;
      series.replaceAll((tag, intervals) -> since(originMs, intervals));
      final long epochMs = firstMs + (isEpoch(firstMs) ? 0 : Math.round(startSeconds * MS_PER_S));
      return new Content(isEpoch(epochMs) ? epochMs : 0, series, List.copyOf(warnings));
    }

    private static List<TimedHistogram> since(long originMs, List<TimedHistogram> intervals) {
      return intervals.stream()
          .map(
              at ->
                  new TimedHistogram(at.startMs() - originMs, at.endMs() - originMs, at.encoded()))
          .sorted(Comparator.comparingLong(TimedHistogram::startMs))
          .toList();
    }

    private static boolean isEpoch(long ms) {
      return ms >= LEAST_EPOCH_S * MS_PER_S;
    }

    // Whether the line has an end.
    private boolean next(BufferedReader lines, StringBuilder text) throws IOException {
      text.setLength(0);
      for (int c = lines.read(); c >= 0; c = lines.read()) {
        if (c == '\n') {
          return true;
        }
        if (text.length() == MOST_LINE_CHARS) {
          throw malformed("a line of more than " + MOST_LINE_CHARS + " characters", EXPECTED);
        }
        text.append((char) c);
      }
      return false;
    }

    private void accept(String raw) throws ReportFileException {
      final String text = raw.strip();
      final Matcher time = TIME.matcher(text);
      final Matcher interval = INTERVAL.matcher(text);
      if (time.matches()) {
        final double seconds = Double.parseDouble(time.group(2));
        if (time.group(1).equals("BaseTime")) {
          baseSeconds = seconds;
        } else if (startSeconds == 0) {
          startSeconds = seconds;
        }
      } else if (interval.matches()) {
        accept(interval);
      } else if (!text.isEmpty() && !text.startsWith("#") && !text.startsWith("\"")) {
        throw malformed(
            "\"" + (text.length() > 40 ? text.substring(0, 40) + "..." : text) + "\"", EXPECTED);
      }
    }

    private void accept(Matcher interval) throws ReportFileException {
      final Histogram histogram = histogram(interval.group(5));
      final double start = baseSeconds + Double.parseDouble(interval.group(2));
      final long startMs = Math.round(start * MS_PER_S);
      final long endMs = Math.round((start + Double.parseDouble(interval.group(3))) * MS_PER_S);
      final double maxMs = Double.parseDouble(interval.group(4));
      // The maximum is written with three decimals, and a histogram has as many digits.
      otherUnit |= maxMs > 1 && Math.abs(histogram.getMaxValue() / NS_PER_MS / maxMs - 1) > 0.1;
      if (startMs < givenOriginMs) {
        throw malformed("an interval at " + interval.group(2) + " s", "none before the run");
      }
      final String tag = interval.group(1) == null ? "" : interval.group(1);
      final List<TimedHistogram> intervals =
          series.computeIfAbsent(tag, absent -> new ArrayList<>());
      intervals.add(TimedHistogram.of(startMs, endMs, histogram));
      if (intervals.size() > MOST_INTERVALS) {
        mergePairs(intervals);
      }
    }

    private Histogram histogram(String base64) throws ReportFileException {
      try {
        final byte[] bytes = Base64.getDecoder().decode(base64);
        return inRange(Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 1));
      } catch (DataFormatException | RuntimeException e) {
        throw malformed(
            "a histogram that cannot be decoded", "one as HdrHistogram writes it, in base 64");
      }
    }

    private ReportFileException malformed(String found, String expected) {
      return ReportFileException.malformed(file, line, found, expected);
    }
  }

  private static Histogram inRange(Histogram decoded) {
    final Histogram histogram = LatencySeries.emptyHistogram();
    if (decoded.getNumberOfSignificantValueDigits() == histogram.getNumberOfSignificantValueDigits()
        && decoded.getLowestDiscernibleValue() == histogram.getLowestDiscernibleValue()
        && decoded.getHighestTrackableValue() == histogram.getHighestTrackableValue()) {
      return decoded;
    }
    for (HistogramIterationValue value : decoded.recordedValues()) {
      histogram.recordValueWithCount(
          Math.min(value.getValueIteratedTo(), LatencySeries.MOST_NS),
          value.getCountAtValueIteratedTo());
    }
    return histogram;
  }

  private static void mergePairs(List<TimedHistogram> intervals) {
    final List<TimedHistogram> merged = new ArrayList<>();
    for (int i = 0; i < intervals.size(); i += 2) {
      final TimedHistogram one = intervals.get(i);
      if (i + 1 == intervals.size()) {
        merged.add(one);
      } else {
        final TimedHistogram other = intervals.get(i + 1);
        final Histogram both = one.decode();
        both.add(other.decode());
        merged.add(TimedHistogram.of(one.startMs(), other.endMs(), both));
      }
    }
    intervals.clear();
    intervals.addAll(merged);
  }
}
