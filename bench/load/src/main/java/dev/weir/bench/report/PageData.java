package dev.weir.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * The data of a page's charts, as JSON that may stand in a script element: as many points as can be
 * told apart, whatever the length of the run. The script names the columns of its arrays.
 */
final class PageData {
  private static final int MOST_POINTS = 300;
  private static final int POINTS_PER_HALVING = 5;
  private static final MathContext DIGITS = new MathContext(4);
  private static final double MS_PER_S = 1e3;
  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 100};
  private static final int MOST_COLUMNS = 120;
  private static final int MOST_ROWS = 60;
  private static final int MOST_ROWS_PER_DECADE = 20;

  private PageData() {}

  private record Run(
      String name, boolean counted, List<Curve> curves, List<List<Object>> parts, Heat heat) {}

  private record Curve(String label, List<List<BigDecimal>> points) {}

  private record Heat(double low, int perDecade, int rows, List<List<Object>> columns) {}

  static String of(List<RunView> runs) {
    final List<Run> all = new ArrayList<>();
    for (RunView run : runs) {
      // Of several runs, those that they are judged by are compared.
      final List<Curve> curves = curves(run, runs.size() == 1 ? run.totals().size() : 1);
      all.add(new Run(run.run().name(), run.isCounted(), curves, parts(run), heat(run)));
    }
    final JsonMapper json = new JsonMapper();
    json.getFactory().setCharacterEscapes(new ElementEscapes());
    try {
      return json.writeValueAsString(all);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Curve> curves(RunView run, int count) {
    final List<Curve> curves = new ArrayList<>();
    for (int i = 0; i < Math.min(count, run.totals().size()); i++) {
      final Histogram total = run.totals().get(i);
      if (total.getTotalCount() > 0) {
        final String label = run.run().latencies().get(i).label();
        curves.add(new Curve(label, points(total)));
      }
    }
    return curves;
  }

  // Every curve has its points at the same percentiles. On this axis the maximum would be endlessly
  // far away; the first point beyond one request in all has it already.
  private static List<List<BigDecimal>> points(Histogram total) {
    final List<List<BigDecimal>> points = new ArrayList<>();
    double x = 0;
    for (int i = 0; x < total.getTotalCount(); i++) {
      x = Math.pow(2, (double) i / POINTS_PER_HALVING);
      final long ns = total.getValueAtPercentile(100 * (1 - 1 / x));
      points.add(List.of(rounded(x), rounded(FigureText.ms(ns))));
    }
    return points;
  }

  private static List<List<Object>> parts(RunView run) {
    final List<List<Object>> parts = new ArrayList<>();
    Timeline.visit(run.run(), MOST_POINTS, (part, latencies) -> parts.add(part(part, latencies)));
    return parts;
  }

  private static List<Object> part(Timeline.Part part, Histogram latencies) {
    final List<Object> row = times(part);
    final RunTotals counts = part.counts();
    if (counts != null) {
      for (long count : counts.each()) {
        row.add(rounded(counts.perSecond(count)));
      }
    } else {
      final long durationMs = Math.max(1, part.endMs() - part.startMs());
      final BigDecimal recorded = rounded(latencies.getTotalCount() * MS_PER_S / durationMs);
      row.addAll(Arrays.asList(null, null, recorded, 0, 0));
    }
    for (double percentile : PERCENTILES) {
      final long ns = latencies.getValueAtPercentile(percentile);
      row.add(latencies.getTotalCount() == 0 ? null : rounded(FigureText.ms(ns)));
    }
    return row;
  }

  private static List<Object> times(Timeline.Part part) {
    return new ArrayList<>(List.of(part.startMs() / MS_PER_S, part.endMs() / MS_PER_S));
  }

  /**
   * How many latencies of each size there were over the time of a run: for each column, its start,
   * its end, and in turn each row that has any and how many. Rows are of equal height on a
   * logarithmic axis.
   */
  private static Heat heat(RunView run) {
    final Histogram total = run.judged();
    final List<List<Object>> columns = new ArrayList<>();
    if (total.getTotalCount() == 0) {
      return new Heat(1, 1, 0, columns);
    }
    final double low = Math.log10(FigureText.ms(Math.max(1, total.getMinValue())));
    final double high = Math.log10(FigureText.ms(Math.max(1, total.getMaxValue())));
    final double decades = Math.max(1.0 / MOST_ROWS_PER_DECADE, high - low);
    // One row less, because neither end need be the edge of one.
    final int perDecade =
        (int) Math.max(1, Math.min(MOST_ROWS_PER_DECADE, (MOST_ROWS - 1) / decades));
    final double lowRow = Math.floor(low * perDecade);
    final double lowMs = Math.pow(10, lowRow / perDecade);
    final int rows = (int) (Math.floor(high * perDecade) - lowRow) + 1;
    Timeline.visit(
        run.run(),
        MOST_COLUMNS,
        (part, latencies) -> {
          final long[] counts = new long[rows];
          for (HistogramIterationValue value : latencies.recordedValues()) {
            final double above =
                Math.log10(FigureText.ms(Math.max(1, value.getValueIteratedTo())) / lowMs);
            final double row = Math.min(rows - 1, Math.floor(above * perDecade));
            counts[(int) Math.max(0, row)] += value.getCountAtValueIteratedTo();
          }
          final List<Object> column = times(part);
          for (int row = 0; row < rows; row++) {
            if (counts[row] > 0) {
              column.addAll(List.of(row, counts[row]));
            }
          }
          columns.add(column);
        });
    return new Heat(lowMs, perDecade, rows, columns);
  }

  /** A number with as many digits as can be seen. */
  private static BigDecimal rounded(double value) {
    final BigDecimal rounded = new BigDecimal(value).round(DIGITS).stripTrailingZeros();
    return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
  }

  /** Nothing that ends a script element, opens a comment in it, or ends a line of a script. */
  private static final class ElementEscapes extends CharacterEscapes {
    private static final long serialVersionUID = 1;
    private static final int[] ASCII = standardAsciiEscapesForJSON();

    static {
      for (char c : "<>&'".toCharArray()) {
        ASCII[c] = ESCAPE_CUSTOM;
      }
    }

    @Override
    public int[] getEscapeCodesForAscii() {
      return ASCII;
    }

    @Override
    public SerializableString getEscapeSequence(int c) {
      final boolean escaped = c < ASCII.length || c == '\u2028' || c == '\u2029';
      return escaped ? new SerializedString(String.format("\\u%04x", c)) : null;
    }
  }
}
