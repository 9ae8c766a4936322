package dev.weir.proxy.envoy.file;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.YamlBudget;
import dev.weir.proxy.control.YamlDocument;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * A mapping in a file, whose values are read as the types that are expected. A value of another
 * type is reported with its line, and read as if absent. The keys of {@code <<} are those of the
 * mapping that it names, unless the section has them itself.
 */
final class YamlSection {
  private static final String MERGE = "<<";

  private record Entry(Node value, int line) {}

  private final String path;
  private final Faults faults;
  private final YamlBudget budget;
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private int startsAt;

  private YamlSection(String path, Faults faults, YamlBudget budget) {
    this.path = path;
    this.faults = faults;
    this.budget = budget;
  }

  /** A node as a section; null, and a fault, if it is no mapping. */
  static YamlSection of(Node node, String path, Faults faults, YamlBudget budget) {
    if (!(node instanceof MappingNode mapping)) {
      faults.add(YamlDocument.line(node), path, "no section (expected: keys and values)");
      return null;
    }
    YamlSection section = new YamlSection(path, faults, budget);
    section.add(mapping);
    return section;
  }

  private void add(MappingNode mapping) {
    List<Node> merged = new ArrayList<>();
    for (NodeTuple tuple : mapping.getValue()) {
      Node key = tuple.getKeyNode();
      int line = YamlDocument.line(key);
      if (!budget.take(line)) {
        return;
      }
      if (!(key instanceof ScalarNode name)) {
        faults.add(line, path, "a key that is a list or a section (expected: a name)");
      } else if (name.getValue().equals(MERGE)) {
        merged.add(tuple.getValueNode());
      } else {
        add(name.getValue(), tuple.getValueNode(), line);
      }
    }
    for (Node node : merged) {
      merge(node);
    }
  }

  private void add(String key, Node value, int line) {
    Entry before = entries.putIfAbsent(key, new Entry(value, line));
    if (before != null) {
      faults.add(line, path(key), "already on line " + before.line + " (expected: each key once)");
    }
  }

  /** Merges the mapping that a node names, which may name itself: down to a bounded depth. */
  private void merge(Node node) {
    int line = YamlDocument.line(node);
    if (!budget.take(line)) {
      return;
    }
    if (budget.enter(line)) {
      if (node instanceof SequenceNode several) {
        several.getValue().forEach(this::merge);
      } else {
        YamlSection from = of(node, path(MERGE), faults, budget);
        if (from != null) {
          from.entries.forEach(entries::putIfAbsent);
        }
      }
    }
    budget.leave();
  }

  /** Reports every key that is not one of these. */
  void allowOnly(Set<String> keys) {
    entries.forEach(
        (key, entry) -> {
          if (!keys.contains(key)) {
            faults.add(entry.line, path(key), "unknown key (expected: " + names(keys) + ")");
          }
        });
  }

  private static String names(Set<String> keys) {
    return String.join(", ", keys.stream().sorted().toList());
  }

  private String path(String key) {
    String shown = Faults.printable(key);
    return path.isEmpty() ? shown : path + "." + shown;
  }

  /** Whether a key is present, with a value. */
  boolean has(String key) {
    return entries.containsKey(key) && !Yaml11.isNull(entries.get(key).value);
  }

  /** The line of a key; 0 if it is absent. */
  int line(String key) {
    return entries.containsKey(key) ? entries.get(key).line : 0;
  }

  /** Reports a fault of a key's value. */
  void fault(String key, String value, String expected) {
    faults.add(line(key), path(key), value, expected);
  }

  /** A scalar as it is written; empty if absent. */
  String text(String key) {
    if (!has(key)) {
      return "";
    }
    if (entries.get(key).value instanceof ScalarNode scalar) {
      return scalar.getValue();
    }
    faults.add(line(key), path(key), "a list or a section (expected: a text)");
    return "";
  }

  /** A boolean; false if absent. */
  boolean flag(String key) {
    String text = text(key);
    if (text.isEmpty()) {
      return false;
    }
    Boolean value = Yaml11.parseBoolean(text);
    if (value == null) {
      fault(key, text, "true or false");
    }
    return value != null && value;
  }

  /** An integer within bounds; the least of them if absent. */
  long number(String key, long least, long most) {
    String text = text(key);
    if (text.isEmpty()) {
      return least;
    }
    BigInteger value = Yaml11.parseInteger(text);
    boolean isWithin =
        value != null
            && value.compareTo(BigInteger.valueOf(least)) >= 0
            && value.compareTo(BigInteger.valueOf(most)) <= 0;
    if (!isWithin) {
      fault(key, text, "a whole number from " + least + " to " + most);
    }
    return isWithin ? value.longValue() : least;
  }

  /** The one of the values whose text a key has; null if absent, or if there is no such value. */
  <T> T oneOf(String key, T[] values) {
    String text = text(key);
    List<String> names = new ArrayList<>();
    for (T value : values) {
      if (value.toString().equals(text)) {
        return value;
      }
      names.add(value.toString());
    }
    if (!text.isEmpty()) {
      fault(key, text, "one of " + String.join(", ", names));
    }
    return null;
  }

  /** The section below a key; null if absent. */
  YamlSection section(String key) {
    YamlSection section = has(key) ? of(entries.get(key).value, path(key), faults, budget) : null;
    if (section != null) {
      section.startsAt = line(key);
    }
    return section;
  }

  /** The sections in a list below a key; empty if absent. */
  List<YamlSection> sections(String key) {
    List<YamlSection> sections = new ArrayList<>();
    if (!has(key)) {
      return sections;
    }
    if (!(entries.get(key).value instanceof SequenceNode list)) {
      faults.add(line(key), path(key), "no list (expected: items that begin with a dash)");
      return sections;
    }
    int index = 0;
    for (Node item : list.getValue()) {
      if (!budget.take(YamlDocument.line(item))) {
        break;
      }
      YamlSection section = of(item, path(key) + "[" + index++ + "]", faults, budget);
      if (section != null) {
        section.startsAt = YamlDocument.line(item);
        sections.add(section);
      }
    }
    return sections;
  }

  /** The line at which the section begins. */
  int startsAt() {
    return startsAt;
  }

  /** Reports a fault of the section as a whole. */
  void fault(String problem) {
    faults.add(startsAt, path, problem);
  }

  /** Goes down one level; false, and a fault, if that is too deep. */
  boolean enter() {
    return budget.enter(startsAt);
  }

  /** Goes up one level. */
  void leave() {
    budget.leave();
  }
}
