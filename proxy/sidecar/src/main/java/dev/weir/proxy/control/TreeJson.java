package dev.weir.proxy.control;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Collection;
import java.util.Map;

/** Writes values of a YAML document as JSON, on one line; numbers as they were written. */
final class TreeJson {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private static final String NUMBER = "-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?";

  private final YamlTree tree;
  private final Map<String, String> instead;

  /**
   * @param instead texts that are written in the place of those at some paths; a null leaves an
   *     item of a list out.
   */
  TreeJson(YamlTree tree, Map<String, String> instead) {
    this.tree = tree;
    this.instead = instead;
  }

  /** The value at a path. */
  String of(String path) {
    return json(out -> write(tree.at(path), path, out));
  }

  /** A list of texts. */
  static String list(Collection<String> texts) {
    return json(out -> out.writeArray(texts.toArray(String[]::new), 0, texts.size()));
  }

  private interface Content {
    void write(JsonGenerator out) throws IOException;
  }

  private static String json(Content content) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = FACTORY.createGenerator(text)) {
      content.write(out);
    } catch (IOException impossible) {
      throw new AssertionError("a text takes all that is written", impossible);
    }
    return text.toString();
  }

  private void write(YamlValue value, String path, JsonGenerator out) throws IOException {
    switch (value.type()) {
      case SECTION -> {
        out.writeStartObject();
        for (Map.Entry<String, YamlValue> each : value.keys().entrySet()) {
          out.writeFieldName(each.getKey());
          write(each.getValue(), YamlTree.inner(path, each.getKey()), out);
        }
        out.writeEndObject();
      }
      case LIST -> {
        out.writeStartArray();
        for (int item = 0; item < value.items().size(); item++) {
          String inner = path + "[" + item + "]";
          if (instead.getOrDefault(inner, "") != null) {
            write(value.items().get(item), inner, out);
          }
        }
        out.writeEndArray();
      }
      case NOTHING -> out.writeNull();
      case TEXT -> out.writeString(instead.getOrDefault(path, tree.texts().get(path)));
      case SWITCH -> out.writeBoolean(Texts.parseBoolean(tree.texts().get(path)));
      default -> {
        String number = tree.texts().get(path);
        if (number.matches(NUMBER)) {
          out.writeNumber(number);
        } else {
          out.writeString(number); // such as .inf, which nothing takes
        }
      }
    }
  }
}
