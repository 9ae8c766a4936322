package dev.weir.proxy.records;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/**
 * JSON in the form in which records are kept: one line of ASCII, without blanks between tokens.
 * Names, their order, and the text of numbers stay as they were written. In this form a value is a
 * part of a longer line, and no identity can add a line to a log.
 */
public final class RecordJson {
  static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .build();

  private RecordJson() {}

  /**
   * Returns the kept form of one JSON value.
   *
   * @throws IllegalArgumentException if the text is none, with line and column; also if a name
   *     stands twice in one object.
   */
  public static String compact(String json) {
    try (JsonParser parser = FACTORY.createParser(json)) {
      if (parser.nextToken() == null) {
        throw new IllegalArgumentException("empty (expected: a JSON value)");
      }
      String value = value(parser);
      if (parser.nextToken() != null) {
        throw new IllegalArgumentException(
            "more than one JSON value" + at(parser.currentTokenLocation().getLineNr()));
      }
      return value;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          e.getOriginalMessage() + (e.getLocation() == null ? "" : at(e.getLocation().getLineNr())),
          e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the kept form of a record.
   *
   * @throws IllegalArgumentException also if {@link JsonText} takes no such value: whoever reads
   *     the record would fail.
   */
  public static String record(String json) {
    String record = compact(json);
    try {
      JsonText.read(record, Integer.MAX_VALUE);
      return record;
    } catch (BadRecordException refused) {
      throw new IllegalArgumentException(refused.getMessage(), refused);
    }
  }

  /** Returns a parser of JSON; a name that stands twice in an object is a fault. */
  public static JsonParser parser(String json) throws IOException {
    return FACTORY.createParser(json);
  }

  /** Returns a text as JSON, with its quotation marks. */
  public static String text(String text) {
    StringWriter json = new StringWriter();
    try (JsonGenerator out = FACTORY.createGenerator(json)) {
      out.writeString(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return json.toString();
  }

  /**
   * Returns the kept form of the value whose first token a parser has read; null of {@code null}.
   */
  public static String value(JsonParser parser) throws IOException {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = FACTORY.createGenerator(text)) {
      int depth = 0;
      do {
        JsonToken token = parser.currentToken();
        if (token.isNumeric()) {
          out.writeNumber(parser.getText());
        } else {
          out.copyCurrentEvent(parser);
        }
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
      } while (depth > 0 && parser.nextToken() != null);
    }
    return text.toString();
  }

  private static String at(int line) {
    return " (line " + line + ")";
  }
}
