package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.MatchSpec;
import dev.weir.proxy.rule.spec.RefusalSpec;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.UsersSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

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

  /** The key that a section may have instead of the required one; null for none. */
  private String instead;

  /** The schema of the keys of a section that may have any; null if it has its own. */
  private SettingsSchema any;

  /** The schema of each item of a list; null for none. */
  private SettingsSchema item;

  private int mostKeys = Integer.MAX_VALUE;
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
            "100/1s, 10/1m, 1000/1h, 1/1d; for a fixed-window also 1000/1month; or concurrency");
    limit.instead = "concurrency";
    SettingsSchema rule =
        section(
            RuleSettingsTable.ALL,
            "id",
            "1 to 64 letters, digits, dots, dashes and underscores; also the policy's name in"
                + " answers");
    rule.keys.get("limits").item = limit;
    for (SettingsSchema cost : List.of(rule.keys.get("cost"), limit.keys.get("cost"))) {
      cost.keys.put(CostReader.HEADER, value(SettingKind.NAME));
      cost.keys.put(CostReader.MAX, value(SettingKind.COUNT));
      cost.keys.put(CostReader.DEFAULT, value(SettingKind.COUNT));
      cost.keys.put(CostReader.REQUEST_BYTES, value(SettingKind.SIZE));
      cost.keys.put(CostReader.RESPONSE, response());
      SettingsSchema reserve = value(SettingKind.RESERVE);
      reserve.keys.put(CostReader.HEADER, value(SettingKind.NAME));
      reserve.keys.put(CostReader.MAX, value(SettingKind.COUNT));
      cost.keys.put(CostReader.RESERVE, reserve);
      cost.keys.put(CostReader.MISSING, value(SettingKind.MISSING));
    }
    SettingsSchema adaptive = section(List.of(), null, null);
    adaptive.keys.put(AdaptiveReader.MIN, value(SettingKind.COUNT));
    adaptive.keys.put(AdaptiveReader.MAX, value(SettingKind.COUNT));
    for (SettingsSchema with : List.of(rule, limit)) {
      with.keys.get("concurrency").keys.put(AdaptiveReader.ADAPTIVE, adaptive);
    }
    for (SettingsSchema with : List.of(rule, limit)) {
      SettingsSchema tier =
          new SettingsSchema(SettingKind.TIER.types(), TiersReader.LIMIT, "a rate such as 1000/1m");
      tier.keys.put(TiersReader.LIMIT, value(SettingKind.RATE));
      tier.keys.put(TiersReader.BURST, value(SettingKind.AMOUNT));
      with.keys.get(TiersReader.SECTION).any = tier;
      with.keys.get(TiersReader.SECTION).mostKeys = UsersSpec.MAX_TIERS;
    }
    SettingsSchema ban = rule.keys.get("ban");
    ban.keys.put(BanReader.AFTER, value(SettingKind.RATE));
    ban.keys.put(BanReader.FOR, value(SettingKind.TIMES));
    ban.keys.put(BanReader.FORGET, value(SettingKind.TIME));
    for (String fields : List.of("headers", "query")) {
      SettingsSchema conditions = rule.keys.get("match").keys.get(fields);
      conditions.any = condition();
      conditions.mostKeys = MatchSpec.MAX_FIELDS;
    }
    SettingsSchema refusal = refusal();
    rule.keys.put("refusal", refusal);
    SettingsSchema listener =
        new SettingsSchema(
            List.of(ValueType.TEXT, ValueType.SECTION), "address", ListenerTable.EXPECTED);
    listener.addAll(ListenerTable.ALL);
    SettingsSchema file = section(SettingsTable.ALL, null, null);
    file.keys.get("listen").item = listener;
    file.keys.get("decision").item = listener;
    SettingsSchema rules = value(SettingKind.RULES);
    rules.item = rule;
    SettingsSchema identity =
        new SettingsSchema(
            SettingKind.IDENTITY.types(), "first-of", "sources, of which the first counts");
    identity.items(SettingKind.IDENTITY);
    identity.keys.put("first-of", value(SettingKind.FIRST_OF));
    SettingsSchema identities = section(List.of(), null, null);
    identities.any = identity;
    file.keys.put("identities", identities);
    file.keys.put(UsersReader.SECTION, users());
    SettingsSchema everywhere = value(SettingKind.LIMITS);
    everywhere.item = limit;
    file.keys.put(RuleSpec.EVERYWHERE, everywhere);
    file.keys.put("refusal", refusal);
    file.keys.put("rules", rules);
    return file;
  }

  /** The schema of a set of rules alone. */
  static SettingsSchema ofRules() {
    SettingsSchema rules = section(List.of(), null, null);
    SettingsSchema file = ofFile();
    RecordedRules.PARTS.forEach(part -> rules.keys.put(part, file.keys.get(part)));
    rules.keys.put(RecordedRules.RULES, file.keys.get(RecordedRules.RULES));
    return rules;
  }

  private static SettingsSchema users() {
    SettingsSchema users =
        section(
            List.of(), UsersReader.IDENTITY, "a source such as jwt:sub, or a name of identities");
    users.keys.put(UsersReader.IDENTITY, value(SettingKind.KEY));
    users.keys.put(UsersReader.TIERS, value(SettingKind.TIER_NAMES));
    users.keys.put(UsersReader.TIER_FROM, value(SettingKind.TIER_SOURCES));
    users.keys.put(UsersReader.DIRECTORY, value(SettingKind.NAME));
    return users;
  }

  /** The schema of where the cost of a request stands in the response. */
  private static SettingsSchema response() {
    SettingsSchema response = section(List.of(), null, null);
    response.keys.put(CostReader.HEADER, value(SettingKind.NAME));
    response.keys.put(CostReader.TRAILER, value(SettingKind.NAME));
    response.keys.put(CostReader.BYTES, value(SettingKind.SIZE));
    response.keys.put(CostReader.STATUS, value(SettingKind.STATUSES));
    response.keys.put(CostReader.BODY_NUMBER, value(SettingKind.NAME));
    return response;
  }

  /** The schema of what is asked of one header or query parameter. */
  private static SettingsSchema condition() {
    SettingsSchema condition = value(SettingKind.CONDITION);
    for (SettingsSchema test : List.of(condition, condition.item)) {
      test.keys.put(MatchReader.PREFIX, value(SettingKind.VALUE));
      test.keys.put(MatchReader.SUFFIX, value(SettingKind.VALUE));
      test.keys.put(MatchReader.PRESENT, value(SettingKind.SWITCH));
    }
    return condition;
  }

  /** The schema of what a rule answers to requests that it refuses. */
  private static SettingsSchema refusal() {
    SettingsSchema refusal = value(SettingKind.REFUSAL);
    refusal.keys.put(RefusalReader.STATUS, value(SettingKind.COUNT));
    SettingsSchema headers = value(SettingKind.CONDITIONS);
    headers.any = value(SettingKind.VALUE);
    headers.mostKeys = RefusalSpec.MAX_FIELDS;
    refusal.keys.put(RefusalReader.HEADERS, headers);
    SettingsSchema bodies = value(SettingKind.CONDITIONS);
    bodies.any = value(SettingKind.VALUE);
    bodies.mostKeys = RefusalSpec.MAX_BODIES;
    refusal.keys.put(RefusalReader.BODIES, bodies);
    refusal.keys.put(RefusalReader.GRPC_STATUS, value(SettingKind.NAME));
    refusal.keys.put(RefusalReader.GRPC_MESSAGE, value(SettingKind.VALUE));
    return refusal;
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
      value.items(kind);
    }
    return value;
  }

  private void items(SettingKind kind) {
    item = new SettingsSchema(kind.itemTypes(), null, null);
    leastItems = kind.leastItems();
    mostItems = kind.mostItems();
  }

  /** The keys of a section, in the order of the tables. */
  Map<String, SettingsSchema> keys() {
    return keys;
  }

  /** The schema of each item of a list. */
  SettingsSchema item() {
    return item;
  }

  /** Notes what of a document does not fit, but where something is already known to be wrong. */
  void check(YamlTree tree, Faults faults) {
    check(tree.root(), "", tree, faults);
  }

  private void check(YamlValue value, String path, YamlTree tree, Faults faults) {
    if (!types.contains(value.type())) {
      String wanted = types.stream().map(ValueType::toString).collect(Collectors.joining(" or "));
      add(path, text(value, path, tree) + " (expected: " + wanted + ")", tree, faults);
    } else if (value.isSection()) {
      checkKeys(value, path, tree, faults);
    } else if (value.isList()) {
      checkItems(value.items(), path, tree, faults);
    }
  }

  private void checkKeys(YamlValue section, String path, YamlTree tree, Faults faults) {
    String prefix = path.isEmpty() ? "" : path + ".";
    for (Map.Entry<String, YamlValue> entry : section.keys().entrySet()) {
      String inner = YamlTree.inner(path, entry.getKey());
      SettingsSchema known = keys.getOrDefault(entry.getKey(), any);
      if (known != null) {
        known.check(entry.getValue(), inner, tree, faults);
      } else {
        String wanted = String.join(", ", keys.keySet());
        add(inner, "unknown key (expected: one of " + wanted + ")", tree, faults);
      }
    }
    if (section.keys().size() > mostKeys) {
      String wanted = " keys (expected: at most " + mostKeys + ")";
      add(path, section.keys().size() + wanted, tree, faults);
    }
    boolean isThere = section.keys().containsKey(required) || section.keys().containsKey(instead);
    if (required != null && !isThere) {
      add(prefix + required, "missing (expected: " + expected + ")", tree, faults);
    }
  }

  private void checkItems(List<YamlValue> items, String path, YamlTree tree, Faults faults) {
    int count = items.size();
    if (count < leastItems) {
      add(path, count + " items (expected: at least " + leastItems + ")", tree, faults);
    } else if (count > mostItems) {
      add(path, count + " items (expected: at most " + mostItems + ")", tree, faults);
    }
    for (int i = 0; i < count; i++) {
      item.check(items.get(i), path + "[" + i + "]", tree, faults);
    }
  }

  private static void add(String path, String problem, YamlTree tree, Faults faults) {
    if (!faults.isFaulty(path)) {
      faults.add(tree.line(path), path, problem);
    }
  }

  /** The value at a path, for a person. */
  private static String text(YamlValue value, String path, YamlTree tree) {
    String text = tree.texts().get(path);
    if (text == null) {
      return value.isList() ? "a list" : value.isSection() ? "a section" : "nothing";
    }
    return Faults.printable(value.type() == ValueType.TEXT ? "\"" + text + "\"" : text);
  }
}
