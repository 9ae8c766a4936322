package dev.weir.bench.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The data of a page's charts, as JSON that may stand in a script element: as many points as can be
 * told apart, whatever the length of the run.
 */
final class PageData {
  private static final int MOST_POINTS = 300;
  private static final int POINTS_PER_HALVING = 5;
  private static final MathContext DIGITS = new MathContext(4);
  private static final double MS_PER_S = 1e3;

  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 100};

  private PageData() {}

  /**
   * @param out stays open.
   */
  static void write(Writer out, List<RunView> runs) throws IOException {
    final JsonGenerator json = new JsonFactory().createGenerator(out);
    json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
    json.setCharacterEscapes(new ElementEscapes());
    json.writeStartArray();
    for (RunView run : runs) {
      json.writeStartObject();
      json.writeStringField("name", run.run().name());
      json.writeBooleanField("counted", run.isCounted());
      // Of several runs, those that they are judged by are compared.
      writeCurves(json, run, runs.size() == 1 ? run.totals().size() : 1);
      writeTimes(json, run);
      HeatMap.of(run).write(json);
      json.writeEndObject();
    }
    json.writeEndArray();
    json.flush();
  }

  private static void writeCurves(JsonGenerator json, RunView run, int count) throws IOException {
    json.writeArrayFieldStart("curves");
    for (int i = 0; i < Math.min(count, run.totals().size()); i++) {
      final Histogram total = run.totals().get(i);
      if (total.getTotalCount() > 0) {
        json.writeStartObject();
        json.writeStringField("label", run.run().latencies().get(i).label());
        writeCurve(json, total);
        json.writeEndObject();
      }
    }
    json.writeEndArray();
  }

  // Every curve has its points at the same percentiles. On this axis the maximum would be endlessly
  // far away; the first point beyond one request in all has it already.
  private static void writeCurve(JsonGenerator json, Histogram total) throws IOException {
    json.writeArrayFieldStart("points");
    double x = 0;
    for (int i = 0; x < total.getTotalCount(); i++) {
      x = Math.pow(2, (double) i / POINTS_PER_HALVING);
      json.writeStartArray();
      number(json, x);
      number(json, FigureText.ms(total.getValueAtPercentile(100 * (1 - 1 / x))));
      json.writeEndArray();
    }
    json.writeEndArray();
  }

  private static void writeTimes(JsonGenerator json, RunView run) throws IOException {
    json.writeArrayFieldStart("parts");
    Timeline.of(run.run(), MOST_POINTS)
        .visit((part, latencies) -> writePart(json, run.isCounted(), part, latencies));
    json.writeEndArray();
  }

  // The script names the columns; in an array they need no name in every row.
  private static void writePart(
      JsonGenerator json, boolean counted, Timeline.Part part, Histogram latencies)
      throws IOException {
    json.writeStartArray();
    json.writeNumber(part.startMs() / MS_PER_S);
    json.writeNumber(part.endMs() / MS_PER_S);
    if (counted) {
      final RunTotals counts = part.counts();
      number(json, counts.perSecond(counts.due()));
      number(json, counts.perSecond(counts.sent()));
      number(json, counts.perSecond(counts.passed()));
      number(json, counts.perSecond(counts.refused()));
      number(json, counts.perSecond(counts.failed()));
    } else {
      final long durationMs = Math.max(1, part.endMs() - part.startMs());
      json.writeNull();
      json.writeNull();
      number(json, latencies.getTotalCount() * MS_PER_S / durationMs);
      json.writeNumber(0);
      json.writeNumber(0);
    }
    for (double percentile : PERCENTILES) {
      if (latencies.getTotalCount() == 0) {
        json.writeNull();
      } else {
        number(json, FigureText.ms(latencies.getValueAtPercentile(percentile)));
      }
    }
    json.writeEndArray();
  }

  /** Writes a number with as many digits as can be seen. */
  static void number(JsonGenerator json, double value) throws IOException {
    final BigDecimal rounded = new BigDecimal(value).round(DIGITS).stripTrailingZeros();
    json.writeNumber(rounded.scale() < 0 ? rounded.setScale(0) : rounded);
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
