package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BanSpec;
import dev.weir.proxy.rule.spec.FieldCondition;
import dev.weir.proxy.rule.spec.MatchSpec;
import dev.weir.proxy.rule.spec.UsersSpec;
import java.util.List;

/** The kinds of settings: the word for a value behind the flag, and its type in a file. */
public enum SettingKind {
  ADDRESS,
  FILE,
  FORM,
  NAME,
  PATTERN,
  PERCENT,
  RATE,
  SIZE,
  TIME,
  UNIT,
  URL,
  WHAT,
  WHO,
  ZONE,
  BITS("BITS", ValueType.WHOLE_NUMBER),
  COUNT("COUNT", ValueType.WHOLE_NUMBER),
  NUMBER("NUMBER", ValueType.WHOLE_NUMBER),
  SWITCH("true|false", ValueType.SWITCH),
  AMOUNT("COUNT", 0, 0, ValueType.WHOLE_NUMBER, ValueType.NUMBER, ValueType.TEXT),
  COST(0, 0, ValueType.WHOLE_NUMBER, ValueType.NUMBER, ValueType.TEXT, ValueType.SECTION),
  COST_OF_LIMIT("COUNT", 0, 0, ValueType.WHOLE_NUMBER, ValueType.NUMBER, ValueType.SECTION),
  CONCURRENCY("COUNT", 0, 0, ValueType.WHOLE_NUMBER, ValueType.SECTION),
  RESERVE(0, 0, ValueType.WHOLE_NUMBER, ValueType.TEXT, ValueType.SECTION),
  MISSING(0, 0, ValueType.WHOLE_NUMBER, ValueType.TEXT),
  STATUSES(1, 64, ValueType.LIST),
  NAMES(0, 100, ValueType.LIST),
  RANGE(0, 1000, ValueType.LIST),
  LISTED("RANGE|file:FILE", 0, 1000, ValueType.LIST),
  ADDRESSES(0, 100, ValueType.TEXT, ValueType.LIST),
  SOURCES(0, 100, ValueType.TEXT, ValueType.LIST),
  LISTENERS("ADDRESS", 1, 32, ValueType.TEXT, ValueType.LIST),
  DECISION("ADDRESS", 1, 32, ValueType.TEXT, ValueType.LIST),
  FILES("FILE", 1, 100, ValueType.TEXT, ValueType.LIST),
  KEY(1, 8, ValueType.TEXT, ValueType.LIST),
  IDENTITY(1, 8, ValueType.TEXT, ValueType.LIST, ValueType.SECTION),
  FIRST_OF(1, 8, ValueType.LIST),
  METHODS(1, 64, ValueType.LIST),
  NETWORKS(1, MatchSpec.MAX_NETWORKS, ValueType.TEXT, ValueType.LIST),
  TIERS("", ValueType.SECTION),
  TIER(0, 0, ValueType.TEXT, ValueType.WHOLE_NUMBER, ValueType.SECTION),
  TIER_NAMES(1, UsersSpec.MAX_TIERS, ValueType.LIST),
  TIER_SOURCES(1, 8, ValueType.LIST),
  CONDITIONS("", ValueType.SECTION),
  BAN("", ValueType.SECTION),
  TIMES(1, BanSpec.MAX_TIMES, ValueType.LIST),
  VALUE(0, 0, ValueType.TEXT, ValueType.WHOLE_NUMBER, ValueType.NUMBER, ValueType.SWITCH),
  CONDITION(
      1,
      FieldCondition.MAX_TESTS,
      ValueType.TEXT,
      ValueType.WHOLE_NUMBER,
      ValueType.NUMBER,
      ValueType.SWITCH,
      ValueType.SECTION,
      ValueType.LIST),
  REFUSAL("", ValueType.SECTION),
  LIMITS(1, 8, ValueType.LIST),
  EVERYWHERE(0, 8, ValueType.SWITCH, ValueType.LIST),
  RULES(0, 10_000, ValueType.LIST);

  private final String label;
  private final List<ValueType> types;
  private final int leastItems;
  private final int mostItems;

  SettingKind() {
    this(null, ValueType.TEXT);
  }

  SettingKind(String label, ValueType type) {
    this.label = label == null ? name() : label;
    this.types = List.of(type);
    this.leastItems = 0;
    this.mostItems = 0;
  }

  SettingKind(int leastItems, int mostItems, ValueType... types) {
    this(null, leastItems, mostItems, types);
  }

  SettingKind(String label, int leastItems, int mostItems, ValueType... types) {
    this.label = label == null ? name() : label;
    this.types = List.of(types);
    this.leastItems = leastItems;
    this.mostItems = mostItems;
  }

  /** The word that stands for a value in the help. */
  public String label() {
    return label;
  }

  /** The text of a flag that has none behind it; null if it must have one. */
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
    return areListeners() || this == FILES || types.equals(List.of(ValueType.LIST));
  }

  /** Whether its values are listeners, which a file may have as sections. */
  boolean areListeners() {
    return this == LISTENERS || this == DECISION;
  }

  /** Whether a file may have a list where it stands. */
  boolean mayBeList() {
    return types.contains(ValueType.LIST);
  }

  /** Whether the items of a list in a file are read one by one; those of a key are one value. */
  boolean isReadByItem() {
    return mayBeList() && this != KEY;
  }

  /** The types that a value in a file may have. */
  List<ValueType> types() {
    return types;
  }

  /** The types that an item of a list may have. */
  List<ValueType> itemTypes() {
    return switch (this) {
      case CONDITION -> types.stream().filter(type -> type != ValueType.LIST).toList();
      case STATUSES -> List.of(ValueType.WHOLE_NUMBER, ValueType.TEXT);
      default -> List.of(ValueType.TEXT);
    };
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
