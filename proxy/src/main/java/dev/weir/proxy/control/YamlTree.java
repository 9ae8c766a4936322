package dev.weir.proxy.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * A YAML document as JSON for the schema, with what JSON does not keep: by path, such as {@code
 * rules[0].limit}, the line where a value stands and how a scalar was written.
 */
final class YamlTree {
  /** Nodes after aliases were followed: a few short lines of anchors can mean billions. */
  static final int MAX_NODES = 200_000;

  private static final int MAX_DEPTH = 32;
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final Faults faults;
  private final Map<String, Integer> lines = new LinkedHashMap<>();
  private final Map<String, String> texts = new LinkedHashMap<>();
  private final JsonNode json;
  private int nodes;
  private boolean tooLarge;

  /** Notes keys that stand twice, and what YAML allows and settings do not. */
  YamlTree(Node root, Faults faults) {
    this.faults = faults;
    this.json = convert(root, "", YamlDocument.line(root), 0);
  }

  JsonNode json() {
    return json;
  }

  /** Whether the document was not converted to its end, with a fault that says why. */
  boolean isTooLarge() {
    return tooLarge;
  }

  /** The line of a path, from 1; of what it would be part of if it is not there. */
  int line(String path) {
    String at = path;
    while (!lines.containsKey(at)) {
      at = at.substring(0, Math.max(Math.max(at.lastIndexOf('.'), at.lastIndexOf('[')), 0));
    }
    return lines.get(at);
  }

  /** All scalars but nulls, as they were written, by path in the order of the file. */
  Map<String, String> texts() {
    return texts;
  }

  private JsonNode convert(Node node, String path, int line, int depth) {
    lines.put(path, line);
    if (++nodes > MAX_NODES || depth > MAX_DEPTH) {
      if (!tooLarge) {
        tooLarge = true;
        faults.add(
            YamlDocument.line(node),
            "",
            nodes > MAX_NODES ? "too large once its aliases are followed" : "too deep",
            "at most " + MAX_NODES + " values, " + MAX_DEPTH + " levels deep");
      }
      return JSON.nullNode();
    }
    if (node instanceof MappingNode mapping) {
      return object(mapping, path, depth);
    }
    if (node instanceof SequenceNode sequence) {
      ArrayNode array = JSON.arrayNode();
      for (Node item : sequence.getValue()) {
        if (tooLarge) {
          break;
        }
        array.add(
            convert(item, path + "[" + array.size() + "]", YamlDocument.line(item), depth + 1));
      }
      return array;
    }
    return scalar((ScalarNode) node, path, line);
  }

  private ObjectNode object(MappingNode mapping, String path, int depth) {
    ObjectNode object = JSON.objectNode();
    for (NodeTuple tuple : mapping.getValue()) {
      if (tooLarge) {
        break;
      }
      Node key = tuple.getKeyNode();
      if (!(key instanceof ScalarNode name)) {
        faults.add(
            YamlDocument.line(key), path, "a key that is a list or a section (expected: a name)");
        continue;
      }
      String inner = path.isEmpty() ? name.getValue() : path + "." + name.getValue();
      if (object.has(name.getValue())) {
        faults.add(
            YamlDocument.line(key),
            inner,
            "already on line " + line(inner) + " (expected: each key once)");
        continue;
      }
      object.set(
          name.getValue(), convert(tuple.getValueNode(), inner, YamlDocument.line(key), depth + 1));
    }
    return object;
  }

  private JsonNode scalar(ScalarNode node, String path, int line) {
    String text = node.getValue();
    Tag tag = node.getTag();
    if (tag.equals(Tag.NULL)) {
      return JSON.nullNode();
    }
    JsonNode value = scalar(tag, text);
    if (value == null) {
      faults.add(line, path, Faults.printable(tag + " " + text) + " (expected: no tag)");
      return JSON.nullNode();
    }
    texts.put(path, text);
    return value;
  }

  /** A text of YAML as JSON; null if JSON has no such tag, or the text is not of its kind. */
  private static JsonNode scalar(Tag tag, String text) {
    if (tag.equals(Tag.STR)) {
      return JSON.textNode(text);
    }
    try {
      if (tag.equals(Tag.BOOL)) {
        return JSON.booleanNode(Texts.parseBoolean(text));
      }
      if (tag.equals(Tag.INT) && text.length() < 1000) {
        return JSON.numberNode(new BigInteger(text));
      }
      if (tag.equals(Tag.FLOAT) && text.length() < 1000) {
        return text.endsWith("f") || text.endsWith("n")
            ? JSON.numberNode(Double.NaN)
            : JSON.numberNode(new BigDecimal(text));
      }
    } catch (IllegalArgumentException malformed) {
      return null;
    }
    return null;
  }
}
