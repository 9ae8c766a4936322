package dev.weir.proxy.control;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The schema of one place of a settings file and of what is in it, made from the tables. The
 * meaning of a text is checked when it is read.
 */
final class SettingsSchema {
  private final List<ValueType> types;
  private final Map<String, SettingsSchema> keys = new LinkedHashMap<>();

  /** The key that a section must have, and what is expected there; null for none. */
  private final String required;

  private final String expected;

  /** The schema of each item of a list; null for none. */
  private SettingsSchema item;

  private int leastItems;
  private int mostItems;

  private SettingsSchema(List<ValueType> types, String required, String expected) {
    this.types = types;
    this.required = required;
    this.expected = expected;
  }

  /** The schema of a whole file. */
  static SettingsSchema ofFile() {
    SettingsSchema limit =
        section(
            RuleSettingsTable.OF_LIMIT,
            "limit",
            "100/1s, 10/1m, 1000/1h, 1/1d; for a fixed-window also 1000/1month");
    SettingsSchema rule =
        section(
            RuleSettingsTable.ALL,
            "id",
            "1 to 64 letters, digits, dots, dashes and underscores; also the policy's name in"
                + " answers");
    rule.keys.get("limits").item = limit;
    SettingsSchema listener =
        new SettingsSchema(
            List.of(ValueType.TEXT, ValueType.SECTION), "address", ListenerTable.EXPECTED);
    listener.addAll(ListenerTable.ALL);
    SettingsSchema file = section(SettingsTable.ALL, null, null);
    file.keys.get("listen").item = listener;
    file.keys.get("decision").item = listener;
    SettingsSchema rules = value(SettingKind.RULES);
    rules.item = rule;
    file.keys.put("rules", rules);
    return file;
  }

  private static SettingsSchema section(
      List<? extends SettingRow<?>> rows, String required, String expected) {
    SettingsSchema section = new SettingsSchema(List.of(ValueType.SECTION), required, expected);
    section.addAll(rows);
    return section;
  }

  private void addAll(List<? extends SettingRow<?>> rows) {
    rows.forEach(row -> add(row.name(), row.kind()));
  }

  private void add(String name, SettingKind kind) {
    int dot = name.indexOf('.');
    if (dot < 0) {
      keys.put(name, value(kind));
    } else {
      keys.computeIfAbsent(name.substring(0, dot), outer -> section(List.of(), null, null))
          .add(name.substring(dot + 1), kind);
    }
  }

  private static SettingsSchema value(SettingKind kind) {
    SettingsSchema value = new SettingsSchema(kind.types(), null, null);
    if (kind.mayBeList()) {
      value.item = new SettingsSchema(List.of(ValueType.TEXT), null, null);
      value.leastItems = kind.leastItems();
      value.mostItems = kind.mostItems();
    }
    return value;
  }

  List<ValueType> types() {
    return types;
  }

  /** The keys of a section, in the order of the tables. */
  Map<String, SettingsSchema> keys() {
    return keys;
  }

  /** The key that a section must have; null for none. */
  String required() {
    return required;
  }

  /** The text that is expected where {@link #required} is missing. */
  String expected() {
    return expected;
  }

  /** The schema of each item of a list. */
  SettingsSchema item() {
    return item;
  }

  int leastItems() {
    return leastItems;
  }

  int mostItems() {
    return mostItems;
  }
}
