package dev.weir.proxy.records;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON as values of Java: a Map in the order of the text, a List, a String, a BigDecimal, a Boolean
 * or null. A name that stands twice, half a character (a lone surrogate), and what is longer or
 * deeper than allowed are faults.
 */
public final class JsonText {
  private static final int MAX_DEPTH = 32;

  /** The time to read a number grows with the square of its length. */
  private static final int MAX_NUMBER_CHARACTERS = 40;

  /** A number with an exponent could be written out as billions of digits. */
  private static final int MAX_SCALE = 40;

  private static final int SHOWN_CHARACTERS = 100;

  private static final JsonFactory JSON =
      new JsonFactoryBuilder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(MAX_NUMBER_CHARACTERS)
                  .build())
          .build();

  private JsonText() {}

  /**
   * Reads one JSON value.
   *
   * @param most characters.
   */
  public static Object read(String json, int most) throws BadRecordException {
    if (json.length() > most) {
      throw bad("", 0, json.length() + " characters", "at most " + most);
    }
    try (JsonParser in = JSON.createParser(json)) {
      if (in.nextToken() == null) {
        throw bad("", 1, "nothing", "JSON");
      }
      Object value = value(in);
      if (in.nextToken() != null) {
        throw bad("", line(in.currentLocation()), "text behind the value", "one value of JSON");
      }
      return value;
    } catch (JsonProcessingException malformed) {
      JsonParser in = (JsonParser) malformed.getProcessor();
      String pointer = in == null ? "" : in.getParsingContext().pathAsPointer().toString();
      throw bad(
          pointer, line(malformed.getLocation()), shown(malformed.getOriginalMessage()), "JSON");
    } catch (IOException e) {
      throw new IllegalStateException("a text cannot fail", e);
    }
  }

  private static int line(JsonLocation at) {
    return at == null ? 0 : at.getLineNr();
  }

  private static BadRecordException bad(String pointer, int line, String found, String expected) {
    return new BadRecordException(List.of(new RecordFault(pointer, line, found, expected)));
  }

  private static Object value(JsonParser in) throws IOException, BadRecordException {
    return switch (in.currentToken()) {
      case START_OBJECT -> {
        Map<String, Object> object = new LinkedHashMap<>();
        while (in.nextToken() != JsonToken.END_OBJECT) {
          String name = whole(in, in.currentName());
          in.nextToken();
          object.put(name, value(in));
        }
        yield object;
      }
      case START_ARRAY -> {
        List<Object> list = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
          list.add(value(in));
        }
        yield list;
      }
      case VALUE_STRING -> whole(in, in.getText());
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(in);
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> throw new IllegalStateException("no value: " + in.currentToken());
    };
  }

  private static String whole(JsonParser in, String text) throws BadRecordException {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw bad(pointer(in), line(in.currentLocation()), shown(text), "a text of whole characters");
    }
    return text;
  }

  private static BigDecimal number(JsonParser in) throws IOException, BadRecordException {
    BigDecimal number = in.getDecimalValue();
    if (Math.abs((long) number.scale()) > MAX_SCALE) {
      throw bad(
          pointer(in),
          line(in.currentLocation()),
          shown(in.getText()),
          "a number of at most " + MAX_SCALE + " digits");
    }
    return number;
  }

  private static String pointer(JsonParser in) {
    return in.getParsingContext().pathAsPointer().toString();
  }

  /** Writes a value of those that {@link #read} returns; other numbers too. */
  public static String write(Object value) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = JSON.createGenerator(text)) {
      write(value, out);
    } catch (IOException e) {
      throw new IllegalStateException("a text cannot fail", e);
    }
    return text.toString();
  }

  private static void write(Object value, JsonGenerator out) throws IOException {
    if (value instanceof Map<?, ?> object) {
      out.writeStartObject();
      for (Map.Entry<?, ?> member : object.entrySet()) {
        out.writeFieldName((String) member.getKey());
        write(member.getValue(), out);
      }
      out.writeEndObject();
    } else if (value instanceof Iterable<?> list) {
      out.writeStartArray();
      for (Object item : list) {
        write(item, out);
      }
      out.writeEndArray();
    } else if (value instanceof BigDecimal number) {
      out.writeNumber(number.toPlainString());
    } else if (value instanceof Number number) {
      out.writeNumber(number.toString());
    } else if (value instanceof Boolean truth) {
      out.writeBoolean(truth);
    } else {
      out.writeString((String) value); // null is written as null
    }
  }

  /** A name as part of a pointer (RFC 6901). */
  public static String pointer(String parent, String name) {
    return parent + "/" + name.replace("~", "~0").replace("/", "~1");
  }

  /** A value for a message, on one line: its JSON, of a text the text, cut if it is long. */
  public static String shown(Object value) {
    String text = value instanceof String string ? string : write(value);
    int length = text.codePointCount(0, text.length());
    if (length > SHOWN_CHARACTERS) {
      String cut = text.substring(0, text.offsetByCodePoints(0, SHOWN_CHARACTERS));
      return printable(cut) + "... (" + length + " characters)";
    }
    return length == 0 ? "\"\"" : printable(text);
  }

  /** A text on one line, without characters that steer a terminal or change the order of others. */
  public static String printable(String text) {
    StringBuilder out = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              boolean isPlain =
                  !Character.isISOControl(c) && Character.getType(c) != Character.FORMAT;
              out.append(isPlain ? Character.toString(c) : String.format("\\u%04X", c));
            });
    return out.toString();
  }
}
