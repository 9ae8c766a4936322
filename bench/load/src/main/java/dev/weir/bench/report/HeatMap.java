package dev.weir.bench.report;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * How many latencies of each size there were over the time of a run: columns of time, and rows of
 * equal height on a logarithmic axis.
 *
 * @param lowMs where the lowest row begins.
 * @param rowsPerDecade of the axis.
 */
record HeatMap(RunView run, double lowMs, int rowsPerDecade, int rows) {
  private static final int MOST_COLUMNS = 120;
  private static final int MOST_ROWS = 60;
  private static final int MOST_ROWS_PER_DECADE = 20;
  private static final double MS_PER_S = 1e3;

  static HeatMap of(RunView run) {
    final Histogram total = run.judged();
    if (total.getTotalCount() == 0) {
      return new HeatMap(run, 1, 1, 0);
    }
    final double low = Math.log10(FigureText.ms(Math.max(1, total.getMinValue())));
    final double high = Math.log10(FigureText.ms(Math.max(1, total.getMaxValue())));
    final double decades = Math.max(1.0 / MOST_ROWS_PER_DECADE, high - low);
    // One row less, because neither end need be the edge of one.
    final int perDecade =
        (int) Math.max(1, Math.min(MOST_ROWS_PER_DECADE, (MOST_ROWS - 1) / decades));
    final double lowRow = Math.floor(low * perDecade);
    final int rows = (int) (Math.floor(high * perDecade) - lowRow) + 1;
    return new HeatMap(run, Math.pow(10, lowRow / perDecade), perDecade, rows);
  }

  /**
   * Writes, for each column, its start, its end, and in turn each row that has any and how many.
   */
  void write(JsonGenerator json) throws IOException {
    json.writeObjectFieldStart("heat");
    json.writeNumberField("low", lowMs);
    json.writeNumberField("perDecade", rowsPerDecade);
    json.writeNumberField("rows", rows);
    json.writeArrayFieldStart("columns");
    if (rows > 0) {
      Timeline.of(run.run(), MOST_COLUMNS).visit((part, latencies) -> write(json, part, latencies));
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private void write(JsonGenerator json, Timeline.Part part, Histogram latencies)
      throws IOException {
    final long[] counts = new long[rows];
    for (HistogramIterationValue value : latencies.recordedValues()) {
      counts[row(value.getValueIteratedTo())] += value.getCountAtValueIteratedTo();
    }
    json.writeStartArray();
    json.writeNumber(part.startMs() / MS_PER_S);
    json.writeNumber(part.endMs() / MS_PER_S);
    for (int row = 0; row < rows; row++) {
      if (counts[row] > 0) {
        json.writeNumber(row);
        json.writeNumber(counts[row]);
      }
    }
    json.writeEndArray();
  }

  private int row(long ns) {
    final double above = Math.log10(FigureText.ms(Math.max(1, ns)) / lowMs);
    return (int) Math.max(0, Math.min(rows - 1, Math.floor(above * rowsPerDecade)));
  }
}
