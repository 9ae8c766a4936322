package dev.weir.proxy.control;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Holds a document against the schema of settings, and notes what does not fit, except where
 * something is already known to be wrong.
 */
final class SchemaCheck {
  private final YamlTree tree;
  private final Faults faults;

  private SchemaCheck(YamlTree tree, Faults faults) {
    this.tree = tree;
    this.faults = faults;
  }

  static void check(SettingsSchema schema, YamlTree tree, Faults faults) {
    new SchemaCheck(tree, faults).check(schema, tree.root(), "");
  }

  private void check(SettingsSchema schema, YamlValue value, String path) {
    if (!schema.types().contains(value.type())) {
      String expected =
          schema.types().stream().map(ValueType::toString).collect(Collectors.joining(" or "));
      add(path, text(value, path) + " (expected: " + expected + ")");
      return;
    }
    if (value.isSection()) {
      checkKeys(schema, value, path);
    } else if (value.isList()) {
      checkItems(schema, value.items(), path);
    }
  }

  private void checkKeys(SettingsSchema schema, YamlValue section, String path) {
    for (Map.Entry<String, YamlValue> entry : section.keys().entrySet()) {
      String inner = inner(path, entry.getKey());
      SettingsSchema known = schema.keys().get(entry.getKey());
      if (known != null) {
        check(known, entry.getValue(), inner);
      } else {
        String keys = String.join(", ", schema.keys().keySet());
        add(inner, "unknown key (expected: one of " + keys + ")");
      }
    }
    String required = schema.required();
    if (required != null && !section.keys().containsKey(required)) {
      add(inner(path, required), "missing (expected: " + schema.expected() + ")");
    }
  }

  private void checkItems(SettingsSchema schema, List<YamlValue> items, String path) {
    int count = items.size();
    if (count < schema.leastItems()) {
      add(path, count + " items (expected: at least " + schema.leastItems() + ")");
    } else if (count > schema.mostItems()) {
      add(path, count + " items (expected: at most " + schema.mostItems() + ")");
    }
    for (int i = 0; i < count; i++) {
      check(schema.item(), items.get(i), path + "[" + i + "]");
    }
  }

  private void add(String path, String problem) {
    if (!faults.isFaulty(path)) {
      faults.add(tree.line(path), path, problem);
    }
  }

  /** The value at a path, for a person. */
  private String text(YamlValue value, String path) {
    String text = tree.texts().get(path);
    if (text == null) {
      return value.isList() ? "a list" : value.isSection() ? "a section" : "nothing";
    }
    return Faults.printable(value.type() == ValueType.TEXT ? "\"" + text + "\"" : text);
  }

  private static String inner(String path, String key) {
    return path.isEmpty() ? key : path + "." + key;
  }
}
