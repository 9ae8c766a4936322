package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * A YAML document as values for the schema, and by path, such as {@code rules[0].limit}, the line
 * where a value stands and how a scalar was written.
 */
final class YamlTree {
  /** The longest number: reading one takes time that grows with the square of its length. */
  private static final int MAX_NUMBER_CHARACTERS = 1000;

  /** A key that has nothing of what stands between keys and items of a path. */
  private static final Pattern PLAIN_KEY = Pattern.compile("[^.\\[\\]\"]*");

  private final Faults faults;
  private final YamlBudget budget;
  private final Map<String, Integer> lines = new LinkedHashMap<>();
  private final Map<String, String> texts = new LinkedHashMap<>();
  private final Map<String, YamlValue> values = new HashMap<>();
  private final YamlValue root;

  /** Notes keys that stand twice, and what YAML allows and settings do not. */
  YamlTree(Node document, Faults faults) {
    this.faults = faults;
    budget = new YamlBudget(faults, 0);
    root = convert(document, "", YamlDocument.line(document));
  }

  YamlValue root() {
    return root;
  }

  /** The value at a path; {@link YamlValue#NOTHING} if there is none. */
  YamlValue at(String path) {
    return values.getOrDefault(path, YamlValue.NOTHING);
  }

  /** Whether the document was not converted to its end, with a fault that says why. */
  boolean isTooLarge() {
    return budget.isSpent();
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

  /**
   * Reads the text at a path, if there is one.
   *
   * @param reader throws a {@link BadValueException} for a text that it does not take: a fault.
   */
  void read(String path, Consumer<String> reader) {
    String text = texts.get(path);
    if (text != null) {
      try {
        reader.accept(text);
      } catch (BadValueException bad) {
        faults.add(line(path), path, bad);
      }
    }
  }

  /** Reads each text of the list at a path, in the order of the file. */
  void readItems(String path, Consumer<String> reader) {
    for (int i = 0; i < at(path).items().size(); i++) {
      read(path + "[" + i + "]", reader);
    }
  }

  /** The path of a key; in quotes if the key itself has what stands between keys and items. */
  static String inner(String path, String key) {
    String shown = PLAIN_KEY.matcher(key).matches() ? key : '"' + key + '"';
    return path.isEmpty() ? shown : path + "." + shown;
  }

  private YamlValue convert(Node node, String path, int line) {
    lines.put(path, line);
    YamlValue value =
        budget.take(YamlDocument.line(node)) ? value(node, path, line) : YamlValue.NOTHING;
    values.put(path, value);
    return value;
  }

  private YamlValue convertInner(Node node, String path, int line) {
    budget.enter(YamlDocument.line(node));
    YamlValue value = convert(node, path, line);
    budget.leave();
    return value;
  }

  private YamlValue value(Node node, String path, int line) {
    if (node instanceof MappingNode mapping) {
      return section(mapping, path);
    }
    if (node instanceof SequenceNode sequence) {
      YamlValue list = YamlValue.list();
      for (Node item : sequence.getValue()) {
        if (isTooLarge()) {
          break;
        }
        String inner = path + "[" + list.items().size() + "]";
        list.items().add(convertInner(item, inner, YamlDocument.line(item)));
      }
      return list;
    }
    return scalar((ScalarNode) node, path, line);
  }

  private YamlValue section(MappingNode mapping, String path) {
    YamlValue section = YamlValue.section();
    for (NodeTuple tuple : mapping.getValue()) {
      if (isTooLarge()) {
        break;
      }
      Node key = tuple.getKeyNode();
      if (!(key instanceof ScalarNode name)) {
        faults.add(
            YamlDocument.line(key), path, "a key that is a list or a section (expected: a name)");
        continue;
      }
      String inner = inner(path, name.getValue());
      if (section.keys().containsKey(name.getValue())) {
        faults.add(
            YamlDocument.line(key),
            inner,
            "already on line " + line(inner) + " (expected: each key once)");
        continue;
      }
      YamlValue value = convertInner(tuple.getValueNode(), inner, YamlDocument.line(key));
      section.keys().put(name.getValue(), value);
    }
    return section;
  }

  private YamlValue scalar(ScalarNode node, String path, int line) {
    String text = node.getValue();
    Tag tag = node.getTag();
    if (tag.equals(Tag.NULL)) {
      return YamlValue.NOTHING;
    }
    ValueType type = type(tag, text);
    if (type == null) {
      faults.add(line, path, Faults.printable(tag + " " + text) + " (expected: no tag)");
      return YamlValue.NOTHING;
    }
    texts.put(path, text);
    return YamlValue.scalar(type);
  }

  /**
   * The type of a text with a tag; null if settings have no such tag, or the text is not of that
   * type.
   */
  private static ValueType type(Tag tag, String text) {
    if (tag.equals(Tag.STR)) {
      return ValueType.TEXT;
    }
    try {
      if (tag.equals(Tag.BOOL)) {
        Texts.parseBoolean(text);
        return ValueType.SWITCH;
      }
      if (tag.equals(Tag.INT) && text.length() < MAX_NUMBER_CHARACTERS) {
        new BigInteger(text);
        return ValueType.WHOLE_NUMBER;
      }
      if (tag.equals(Tag.FLOAT) && text.length() < MAX_NUMBER_CHARACTERS) {
        boolean isNone = text.endsWith("f") || text.endsWith("n");
        if (!isNone) {
          new BigDecimal(text);
        }
        return ValueType.NUMBER;
      }
    } catch (IllegalArgumentException malformed) {
      return null;
    }
    return null;
  }
}
