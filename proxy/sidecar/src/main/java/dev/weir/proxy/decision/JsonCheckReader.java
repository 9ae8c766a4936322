package dev.weir.proxy.decision;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.weir.proxy.decision.proto.ProtoWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Turns a {@code CheckRateLimitRequest} in JSON into the message that it is, in the spelling of
 * Protocol Buffers: names as in the {@code .proto} or in camel case, null for what is not said,
 * numbers also as texts. Whether the values can be used is for who reads the message. One per event
 * loop.
 */
final class JsonCheckReader {
  private static final JsonFactory JSON =
      new JsonFactoryBuilder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private static final String KNOWN =
      "identifier, dimension, dimension_name, other_identities, endpoint, method, cost,"
          + " client_time, idempotency_key, rule_id or require_rule";
  private static final String KNOWN_OF_IDENTITY = "identifier, dimension or dimension_name";

  private static final int SHOWN_CHARACTERS = 100;

  /** A number of JSON as a text: what else Java takes for one is none. */
  private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]{0,18})");

  private static final Pattern CAPITAL = Pattern.compile("[A-Z]");

  private final ProtoWriter message = new ProtoWriter(0);

  /** What is wrong with a body: a field, its value, and what was expected. */
  static final class BadJsonException extends Exception {
    private static final long serialVersionUID = 1;

    private BadJsonException(String field, String value, String expected) {
      super(field + ": " + shown(value) + " (expected: " + expected + ")", null, false, false);
    }
  }

  /**
   * Reads a body.
   *
   * @return the message; valid until the next is read.
   */
  ProtoWriter read(byte[] body) throws BadJsonException {
    message.begin();
    try (JsonParser parser = JSON.createParser(body)) {
      require(parser.nextToken(), JsonToken.START_OBJECT, "body", "an object");
      Set<String> given = new HashSet<>();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        requireOnce(given, name);
        if (parser.nextToken() != JsonToken.VALUE_NULL) {
          field(parser, name);
        }
      }
      require(parser.nextToken(), null, "body", "nothing behind the object");
      return message;
    } catch (JsonProcessingException e) {
      JsonLocation at = e.getLocation();
      String where =
          at == null ? "" : "line " + at.getLineNr() + ", column " + at.getColumnNr() + ": ";
      throw new BadJsonException("body", where + e.getOriginalMessage(), "JSON");
    } catch (IOException e) {
      throw new IllegalStateException("an array cannot fail", e);
    }
  }

  /** The parser knows which names are given twice, but not of their two spellings. */
  private static void requireOnce(Set<String> given, String name) throws BadJsonException {
    if (!given.add(CAPITAL.matcher(name).replaceAll("_$0").toLowerCase(Locale.ROOT))) {
      throw new BadJsonException(name, "in both spellings", "one");
    }
  }

  private void field(JsonParser parser, String name) throws IOException, BadJsonException {
    switch (name) {
      case "identifier" -> text(parser, name, AskedCheck.IDENTIFIER);
      case "dimension" -> dimension(parser, name);
      case "dimension_name", "dimensionName" -> text(parser, name, AskedCheck.DIMENSION_NAME);
      case "other_identities", "otherIdentities" -> identities(parser, name);
      case "endpoint" -> text(parser, name, AskedCheck.ENDPOINT);
      case "method" -> text(parser, name, AskedCheck.METHOD);
      case "cost" -> message.varint(AskedCheck.COST, number(parser, name));
      case "client_time", "clientTime" -> time(parser, name);
      case "idempotency_key", "idempotencyKey" -> text(parser, name, AskedCheck.IDEMPOTENCY_KEY);
      case "rule_id", "ruleId" -> text(parser, name, AskedCheck.RULE_ID);
      case "require_rule", "requireRule" ->
          message.bool(AskedCheck.REQUIRE_RULE, truth(parser, name));
      default -> throw new BadJsonException(name, "unknown", KNOWN);
    }
  }

  private void identities(JsonParser parser, String name) throws IOException, BadJsonException {
    require(parser.currentToken(), JsonToken.START_ARRAY, name, "a list");
    for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
      String path = name + "[" + i + "]";
      require(parser.currentToken(), JsonToken.START_OBJECT, path, "an object");
      int begun = message.beginMessage(AskedCheck.OTHER_IDENTITIES);
      Set<String> given = new HashSet<>();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String field = parser.currentName();
        requireOnce(given, field);
        if (parser.nextToken() != JsonToken.VALUE_NULL) {
          identityField(parser, path + ".", field);
        }
      }
      message.endMessage(begun);
    }
  }

  private void identityField(JsonParser parser, String path, String name)
      throws IOException, BadJsonException {
    switch (name) {
      case "identifier" -> text(parser, path + name, AskedCheck.IDENTIFIER);
      case "dimension" -> dimension(parser, path + name);
      case "dimension_name", "dimensionName" ->
          text(parser, path + name, AskedCheck.DIMENSION_NAME);
      default -> throw new BadJsonException(path + name, "unknown", KNOWN_OF_IDENTITY);
    }
  }

  private void text(JsonParser parser, String name, int field)
      throws IOException, BadJsonException {
    require(parser.currentToken(), JsonToken.VALUE_STRING, name, "a text");
    String text = parser.getText();
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new BadJsonException(name, text, "a text of whole characters");
    }
    message.bytes(field, text.getBytes(StandardCharsets.UTF_8));
  }

  private void dimension(JsonParser parser, String name) throws IOException, BadJsonException {
    long number =
        switch (parser.getText()) {
          case "DIMENSION_UNSPECIFIED", "0" -> 0;
          case "USER", "1" -> 1;
          case "IP", "2" -> 2;
          case "API_KEY", "3" -> 3;
          default -> throw new BadJsonException(name, parser.getText(), CheckQuestions.DIMENSIONS);
        };
    message.varint(AskedCheck.DIMENSION, number);
  }

  private static long number(JsonParser parser, String name) throws IOException, BadJsonException {
    String text = parser.getText();
    try {
      if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT
          || parser.currentToken() == JsonToken.VALUE_STRING && NUMBER.matcher(text).matches()) {
        return Long.parseLong(text);
      }
    } catch (NumberFormatException tooLarge) {
      // Told below.
    }
    throw new BadJsonException(name, text, "a whole number of 64 bits");
  }

  private static boolean truth(JsonParser parser, String name)
      throws IOException, BadJsonException {
    return switch (parser.currentToken()) {
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> throw new BadJsonException(name, parser.getText(), "true or false");
    };
  }

  private void time(JsonParser parser, String name) throws IOException, BadJsonException {
    String text = parser.getText();
    Instant time;
    try {
      time = OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException none) {
      throw new BadJsonException(name, text, "a time as in 2026-11-22T08:00:00.5Z");
    }
    int begun = message.beginMessage(AskedCheck.CLIENT_TIME);
    message
        .varint(AskedCheck.SECONDS, time.getEpochSecond())
        .varint(AskedCheck.NANOS, time.getNano());
    message.endMessage(begun);
  }

  private static void require(JsonToken token, JsonToken wanted, String field, String expected)
      throws BadJsonException {
    if (token != wanted) {
      throw new BadJsonException(field, token == null ? "none" : kind(token), expected);
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

  private static String shown(String value) {
    return value.length() > SHOWN_CHARACTERS
        ? value.substring(0, SHOWN_CHARACTERS) + "... (" + value.length() + " characters)"
        : value;
  }
}
