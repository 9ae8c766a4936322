package dev.weir.proxy.control;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;

/**
 * The JSON schema of settings files, made from the tables: which keys there are, what type of value
 * each takes, and which must not be missing. What a text means is checked when it is read.
 */
final class SettingsSchema {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** What is expected in the place of a key that must be there, by its name. */
  private static final Map<String, String> EXPECTED =
      Map.of(
          "address",
          ListenerTable.EXPECTED,
          "id",
          "1 to 64 letters, digits, dots, dashes and underscores; also the policy's name in answers",
          "limit",
          "100/1s, 10/1m, 1000/1h, 1/1d; for a fixed-window also 1000/1month");

  private SettingsSchema() {}

  static ObjectNode make() {
    ObjectNode root = section();
    root.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    SettingsTable.ALL.forEach(row -> add(root, row));
    add(root, "rules", SettingKind.RULES, null);
    ObjectNode definitions = root.putObject("$defs");
    ObjectNode rule = section();
    rule.putArray("required").add("id");
    RuleSettingsTable.ALL.forEach(row -> add(rule, row));
    definitions.set("rule", rule);
    ObjectNode limit = section();
    limit.putArray("required").add("limit");
    RuleSettingsTable.OF_LIMIT.forEach(row -> add(limit, row));
    definitions.set("limit", limit);
    ObjectNode listener = section();
    listener.putArray("type").add("string").add("object");
    listener.putArray("required").add("address");
    ListenerTable.ALL.forEach(row -> add(listener, row));
    definitions.set("listener", listener);
    return root;
  }

  private static ObjectNode section() {
    ObjectNode section = JSON.objectNode();
    section.put("type", "object");
    section.put("additionalProperties", false);
    section.set("properties", JSON.objectNode());
    return section;
  }

  private static void add(ObjectNode section, SettingRow<?> row) {
    add(section, row.name(), row.kind(), row.standard());
  }

  private static void add(ObjectNode section, String name, SettingKind kind, String standard) {
    ObjectNode properties = (ObjectNode) section.get("properties");
    int dot = name.indexOf('.');
    if (dot >= 0) {
      String outer = name.substring(0, dot);
      if (!properties.has(outer)) {
        properties.set(outer, section());
      }
      add((ObjectNode) properties.get(outer), name.substring(dot + 1), kind, standard);
    } else {
      properties.set(name, value(name, kind, standard));
    }
  }

  private static ObjectNode value(String name, SettingKind kind, String standard) {
    ObjectNode value = JSON.objectNode();
    List<String> types = kind.types();
    if (types.size() == 1) {
      value.put("type", types.get(0));
    } else {
      types.forEach(value.putArray("type")::add);
    }
    if (EXPECTED.containsKey(name)) {
      value.put("description", EXPECTED.get(name));
    }
    if (kind.mayBeList()) {
      value.set("items", item(kind));
      if (kind.leastItems() > 0) {
        value.put("minItems", kind.leastItems());
      }
      value.put("maxItems", kind.mostItems());
    }
    if (standard != null) {
      switch (kind.types().get(0)) {
        case "integer" -> value.put("default", Long.parseLong(standard));
        case "boolean" -> value.put("default", Boolean.parseBoolean(standard));
        default -> value.put("default", standard);
      }
    }
    return value;
  }

  private static ObjectNode item(SettingKind kind) {
    return switch (kind) {
      case RULES -> JSON.objectNode().put("$ref", "#/$defs/rule");
      case LISTENERS, DECISION -> JSON.objectNode().put("$ref", "#/$defs/listener");
      case LIMITS -> JSON.objectNode().put("$ref", "#/$defs/limit");
      default -> JSON.objectNode().put("type", "string");
    };
  }
}
