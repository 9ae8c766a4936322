package dev.weir.proxy.control;

import java.util.List;

/** What a setting takes: the word for it behind its flag, and the type of its value in a file. */
public enum SettingKind {
  ADDRESS,
  FILE,
  FORM,
  NAME,
  PATTERN,
  RATE,
  SIZE,
  TIME,
  UNIT,
  URL,
  WHAT,
  WHO,
  ZONE,
  BITS("BITS", "integer"),
  COUNT("COUNT", "integer"),
  NUMBER("NUMBER", "integer"),
  SWITCH("true|false", "boolean"),
  COST(0, 0, "integer", "string"),
  NAMES(0, 100, "array"),
  RANGE(0, 1000, "array"),
  ADDRESSES(0, 100, "string", "array"),
  SOURCES(0, 100, "string", "array"),
  LISTENERS("ADDRESS", 1, 32, "string", "array"),
  DECISION("ADDRESS", 1, 32, "string", "array"),
  FILES("FILE", 1, 100, "string", "array"),
  KEY(1, 8, "string", "array"),
  METHODS(1, 64, "array"),
  LIMITS(1, 8, "array"),
  RULES(0, 10_000, "array");

  private final String label;
  private final List<String> types;
  private final int leastItems;
  private final int mostItems;

  SettingKind() {
    this(null, "string");
  }

  SettingKind(String label, String type) {
    this.label = label == null ? name() : label;
    this.types = List.of(type);
    this.leastItems = 0;
    this.mostItems = 0;
  }

  SettingKind(int leastItems, int mostItems, String... types) {
    this(null, leastItems, mostItems, types);
  }

  SettingKind(String label, int leastItems, int mostItems, String... types) {
    this.label = label == null ? name() : label;
    this.types = List.of(types);
    this.leastItems = leastItems;
    this.mostItems = mostItems;
  }

  /** The word that stands for a value in the help. */
  public String label() {
    return label;
  }

  /** What a flag stands for that has no text behind it; null if it must have one. */
  public String bareText() {
    return switch (this) {
      case SWITCH -> "true";
      case DECISION -> ListenerTable.ON;
      default -> null;
    };
  }

  /** Whether its flag may be given several times, and its texts count together. */
  public boolean isRepeatable() {
    return this == KEY || isList();
  }

  /** Whether a value may be several texts that are read one by one, each a value by itself. */
  boolean isList() {
    return this == LISTENERS || this == DECISION || this == FILES || types.equals(List.of("array"));
  }

  /** Whether a file may have a list where it stands. */
  boolean mayBeList() {
    return types.contains("array");
  }

  /** JSON's names of what a file may have there. */
  List<String> types() {
    return types;
  }

  /** How many items a list must have; 0 for any number. */
  int leastItems() {
    return leastItems;
  }

  /** How many items a list may have. */
  int mostItems() {
    return mostItems;
  }
}
