package dev.weir.proxy.envoy.call;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One document of JSON as maps, lists, texts, {@link Number}s, booleans and null. A name that
 * stands twice is a fault, and so is what stands behind the document. How deep it may be, the
 * parser bounds.
 */
final class JsonTree {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private final JsonParser parser;

  private JsonTree(JsonParser parser) {
    this.parser = parser;
  }

  /** A number as it was written: what it means may take a while to find out. */
  record Number(String text) {
    @Override
    public String toString() {
      return text;
    }
  }

  /** Why it is no document of JSON. */
  static final class Malformed extends Exception {
    private static final long serialVersionUID = 1;

    Malformed(String why) {
      super(why, null, false, false);
    }
  }

  /** Reads a document; null for an empty one. */
  static Object read(byte[] bytes) throws Malformed {
    try (JsonParser parser = FACTORY.createParser(bytes)) {
      JsonToken first = parser.nextToken();
      Object value = first == null ? null : new JsonTree(parser).value(first);
      if (parser.nextToken() != null) {
        throw new Malformed("more behind the document");
      }
      return value;
    } catch (JsonProcessingException malformed) {
      throw new Malformed(malformed.getOriginalMessage());
    } catch (IOException impossible) {
      throw new Malformed(impossible.toString());
    }
  }

  private Object value(JsonToken token) throws IOException {
    return switch (token) {
      case START_OBJECT -> object();
      case START_ARRAY -> list();
      case VALUE_STRING -> parser.getText();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Number(parser.getText());
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }

  private Map<String, Object> object() throws IOException {
    Map<String, Object> object = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      object.put(name, value(parser.nextToken()));
    }
    return object;
  }

  private List<Object> list() throws IOException {
    List<Object> list = new ArrayList<>();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      list.add(value(token));
    }
    return list;
  }
}
