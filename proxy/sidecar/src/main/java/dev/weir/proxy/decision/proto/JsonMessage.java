package dev.weir.proxy.decision.proto;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A protobuf message in JSON (ProtoJSON): reads JSON, and writes the encoded message. Names are
 * those of the {@code .proto} or in camel case, null means absent, numbers may be texts. Unknown
 * names are faults. Values are checked by the reader of the message.
 */
public final class JsonMessage {
  private static final JsonFactory JSON =
      new JsonFactoryBuilder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  /** The most characters of a number, as the time to read one grows with their square. */
  private static final int MAX_NUMBER_CHARACTERS = 40;

  /** A JSON number as a text, which is stricter than Java's parser. */
  private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)");

  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}]");
  private static final int SHOWN_CHARACTERS = 100;

  // Fields of google.protobuf.Timestamp and of google.protobuf.UInt64Value.
  private static final int SECONDS = 1;
  private static final int NANOS = 2;
  private static final int VALUE = 1;

  private final List<Field> fields = new ArrayList<>();

  /** A fault of a body: a field, its value, and what was expected. */
  public static final class BadJsonException extends Exception {
    private static final long serialVersionUID = 1;

    private BadJsonException(String field, String value, String expected) {
      super(
          shown(field) + ": " + shown(value) + " (expected: " + expected + ")", null, false, false);
    }
  }

  /** Reads the value at which a parser stands, and writes it. */
  private interface Value {
    void copy(JsonParser in, String path, ProtoWriter out) throws IOException, BadJsonException;
  }

  /**
   * A field of the message.
   *
   * @param name as in the {@code .proto}.
   * @param camel the same in camel case.
   */
  private record Field(String name, String camel, Value value) {
    Field(String name, Value value) {
      this(
          name,
          Pattern.compile("_(.)")
              .matcher(name)
              .replaceAll(at -> at.group(1).toUpperCase(Locale.ROOT)),
          value);
    }
  }

  private JsonMessage with(String name, Value value) {
    fields.add(new Field(name, value));
    return this;
  }

  /** Adds a text field. */
  public JsonMessage text(String name, int number) {
    return with(name, (in, path, out) -> out.bytes(number, text(in, path)));
  }

  /** Adds a boolean field. */
  public JsonMessage bool(String name, int number) {
    return with(name, (in, path, out) -> out.bool(number, truth(in, path)));
  }

  /** Adds an {@code int64} field. */
  public JsonMessage int64(String name, int number) {
    BigInteger most = BigInteger.ONE.shiftLeft(Long.SIZE - 1);
    return with(
        name,
        (in, path, out) ->
            out.varint(
                number,
                number(
                    in,
                    path,
                    most.negate(),
                    most.subtract(BigInteger.ONE),
                    "a whole number of 64 bits")));
  }

  /** Adds a {@code uint32} field. */
  public JsonMessage uint32(String name, int number) {
    return with(name, (in, path, out) -> out.varint(number, unsigned(in, path, Integer.SIZE)));
  }

  /** Adds a {@code google.protobuf.UInt64Value} field. */
  public JsonMessage uint64Value(String name, int number) {
    return with(
        name,
        (in, path, out) -> {
          int begun = out.beginMessage(number);
          out.varint(VALUE, unsigned(in, path, Long.SIZE));
          out.endMessage(begun);
        });
  }

  /**
   * Adds an enumeration field.
   *
   * @param numbers the number of a text, which may be a name or the number itself; null if unknown.
   * @param expected the possible values.
   */
  public JsonMessage choice(
      String name, int number, Function<String, Integer> numbers, String expected) {
    return with(
        name,
        (in, path, out) -> {
          Integer chosen = numbers.apply(in.getText());
          if (chosen == null) {
            throw new BadJsonException(path, in.getText(), expected);
          }
          out.varint(number, chosen);
        });
  }

  /** Adds a {@code google.protobuf.Timestamp} field. */
  public JsonMessage time(String name, int number) {
    return with(
        name,
        (in, path, out) -> {
          Instant time = time(in, path);
          int begun = out.beginMessage(number);
          out.varint(SECONDS, time.getEpochSecond()).varint(NANOS, time.getNano());
          out.endMessage(begun);
        });
  }

  /** Adds a field of another message. */
  public JsonMessage message(String name, int number, JsonMessage of) {
    return with(name, (in, path, out) -> of.nested(in, path, number, out));
  }

  /** Adds a repeated field of another message. */
  public JsonMessage messages(String name, int number, JsonMessage of) {
    return with(
        name,
        (in, path, out) -> {
          require(in.currentToken(), JsonToken.START_ARRAY, path, "a list");
          for (int i = 0; in.nextToken() != JsonToken.END_ARRAY; i++) {
            of.nested(in, path + "[" + i + "]", number, out);
          }
        });
  }

  /**
   * Reads a body.
   *
   * @param out takes the encoded message, without room before it.
   * @return the message, until something else is written.
   */
  public DirectBuffer read(DirectBuffer body, ProtoWriter out) throws BadJsonException {
    byte[] bytes = new byte[body.capacity()];
    body.getBytes(0, bytes);
    out.begin();
    try (JsonParser in = JSON.createParser(bytes)) {
      require(in.nextToken(), JsonToken.START_OBJECT, "body", "an object");
      copy(in, "", out);
      require(in.nextToken(), null, "body", "nothing behind the object");
      return new UnsafeBuffer(out.array(), 0, out.length());
    } catch (JsonProcessingException e) {
      JsonLocation at = e.getLocation();
      String where =
          at == null ? "" : "line " + at.getLineNr() + ", column " + at.getColumnNr() + ": ";
      throw new BadJsonException("body", where + e.getOriginalMessage(), "JSON");
    } catch (IOException e) {
      throw new IllegalStateException("an array cannot fail", e);
    }
  }

  private void nested(JsonParser in, String path, int number, ProtoWriter out)
      throws IOException, BadJsonException {
    require(in.currentToken(), JsonToken.START_OBJECT, path, "an object");
    int begun = out.beginMessage(number);
    copy(in, path + ".", out);
    out.endMessage(begun);
  }

  private void copy(JsonParser in, String prefix, ProtoWriter out)
      throws IOException, BadJsonException {
    Set<Field> given = new HashSet<>();
    while (in.nextToken() != JsonToken.END_OBJECT) {
      String name = in.currentName();
      Field field = field(prefix, name);
      if (!given.add(field)) {
        // The parser knows which names are given twice, but not of their two spellings.
        throw new BadJsonException(prefix + name, "in both spellings", "one");
      }
      if (in.nextToken() != JsonToken.VALUE_NULL) {
        field.value().copy(in, prefix + name, out);
      }
    }
  }

  private Field field(String prefix, String name) throws BadJsonException {
    for (Field field : fields) {
      if (field.name().equals(name) || field.camel().equals(name)) {
        return field;
      }
    }
    List<String> names = fields.stream().map(Field::name).toList();
    int last = names.size() - 1;
    throw new BadJsonException(
        prefix + name,
        "unknown",
        String.join(", ", names.subList(0, last)) + " or " + names.get(last));
  }

  private static byte[] text(JsonParser in, String path) throws IOException, BadJsonException {
    require(in.currentToken(), JsonToken.VALUE_STRING, path, "a text");
    String text = in.getText();
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new BadJsonException(path, text, "a text of whole characters");
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static boolean truth(JsonParser in, String path) throws IOException, BadJsonException {
    return switch (in.currentToken()) {
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> throw new BadJsonException(path, in.getText(), "true or false");
    };
  }

  private static long unsigned(JsonParser in, String path, int bits)
      throws IOException, BadJsonException {
    BigInteger most = BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE);
    return number(in, path, BigInteger.ZERO, most, "a whole number from 0 to " + most);
  }

  private static long number(
      JsonParser in, String path, BigInteger least, BigInteger most, String expected)
      throws IOException, BadJsonException {
    String text = in.getText();
    boolean isNumber =
        in.currentToken().isNumeric()
            || in.currentToken() == JsonToken.VALUE_STRING && NUMBER.matcher(text).matches();
    if (isNumber && text.length() <= MAX_NUMBER_CHARACTERS) {
      try {
        BigDecimal number = new BigDecimal(text).stripTrailingZeros();
        // Compared before it is written out: 1e999999999 has a billion digits.
        if (number.scale() <= 0
            && number.compareTo(new BigDecimal(least)) >= 0
            && number.compareTo(new BigDecimal(most)) <= 0) {
          return number.longValue();
        }
      } catch (NumberFormatException exponent) {
        throw new BadJsonException(path, text, expected);
      }
    }
    throw new BadJsonException(path, text, expected);
  }

  private static Instant time(JsonParser in, String path) throws IOException, BadJsonException {
    String text = in.getText();
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException none) {
      throw new BadJsonException(path, text, "a time as in 2026-11-22T08:00:00.5Z");
    }
  }

  private static void require(JsonToken token, JsonToken wanted, String path, String expected)
      throws BadJsonException {
    if (token != wanted) {
      throw new BadJsonException(path, token == null ? "none" : kind(token), expected);
    }
  }

  private static String kind(JsonToken token) {
    return switch (token) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "a list";
      case VALUE_STRING -> "a text";
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
      default -> token.asString() == null ? token.toString() : token.asString();
    };
  }

  /** A value for an error message: cut if it is long, with control characters replaced. */
  private static String shown(String value) {
    String cut =
        value.length() > SHOWN_CHARACTERS
            ? value.substring(0, SHOWN_CHARACTERS) + "... (" + value.length() + " characters)"
            : value;
    return UNPRINTABLE.matcher(cut).replaceAll("?");
  }
}
