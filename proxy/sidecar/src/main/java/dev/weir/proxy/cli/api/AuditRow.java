package dev.weir.proxy.cli.api;

import java.util.LinkedHashMap;
import java.util.Map;

/** An entry of the audit as a row of a table. */
final class AuditRow {
  private AuditRow() {}

  static Map<String, Object> of(Map<?, ?> entry) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("number", entry.get("number"));
    row.put("at", entry.get("at"));
    row.put("by", entry.get("by"));
    row.put("action", entry.get("action"));
    row.put("object", object(entry));
    row.put("version", entry.get("version"));
    row.put("reason", entry.get("reason"));
    return row;
  }

  /** Whether an entry tells of rules. */
  static boolean isOfRules(Map<?, ?> entry) {
    return entry.containsKey("rule") || entry.containsKey("part");
  }

  private static String object(Map<?, ?> entry) {
    for (String kind : new String[] {"rule", "part", "user"}) {
      if (entry.get(kind) != null) {
        return kind + " " + entry.get(kind);
      }
    }
    return "";
  }
}
