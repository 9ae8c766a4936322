package dev.weir.proxy.cli.api;

import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordVersion;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir rules revert}. */
@Command(
    name = "revert",
    description = {
      "Puts the rules back as they were in a version, as a new version.",
      "It takes them from the audit, which goes 90 days back."
    })
final class RulesRevert extends ApiCommand {
  @Parameters(paramLabel = "VERSION", description = "As weir rules log tells it.")
  private String version;

  @Option(names = "--dry-run", description = "Only show what it would change.")
  private boolean isDryRun;

  @Option(names = "--reason", paramLabel = "TEXT", description = "For the audit.")
  private String reason;

  @Override
  int run(Api api) throws ApiFault {
    RecordVersion target;
    try {
      target = RecordVersion.parse(version);
    } catch (IllegalArgumentException none) {
      throw new ApiFault(ExitCode.USAGE, "VERSION: " + none.getMessage());
    }
    Api.Reply present = api.get("/rules").send();
    String document = document(present.object(), undone(api, target));
    return RuleChanges.print(
        this,
        api.put("/rules")
            .with("dry-run", isDryRun ? "true" : null)
            .expecting(present.etag())
            .because(reason == null ? "revert to " + version : reason)
            .json(document)
            .send());
  }

  /**
   * The records that changed behind a version, as they were in it, by kind and id; null if they
   * were not there.
   */
  private static Map<String, Object> undone(Api api, RecordVersion target) throws ApiFault {
    Map<String, Object> before = new LinkedHashMap<>();
    boolean[] isFound = {false};
    AuditPages.ofRules(api)
        .forEach(
            entry -> {
              if (!AuditRow.isOfRules(entry) || !(entry.get("version") instanceof String text)) {
                return true;
              }
              RecordVersion of = RecordVersion.parse(text);
              if (of.number() <= target.number()) {
                isFound[0] = of.equals(target);
                return false;
              }
              boolean isRule = entry.containsKey("rule");
              String name = isRule ? "rule " + entry.get("rule") : "part " + entry.get("part");
              before.put(name, entry.get("before"));
              return true;
            });
    if (!isFound[0]) {
      throw new ApiFault(ExitCode.FAULT, target + ": no version of the rules in the audit");
    }
    return before;
  }

  /** The set of rules with some records as they were. */
  private static String document(Map<String, Object> present, Map<String, Object> before) {
    Map<String, Object> document = new LinkedHashMap<>(present);
    Map<String, Object> rules = new LinkedHashMap<>();
    if (present.get("rules") instanceof List<?> list) {
      list.forEach(rule -> rules.put(String.valueOf(((Map<?, ?>) rule).get("id")), rule));
    }
    before.forEach(
        (name, value) -> {
          String id = name.substring(name.indexOf(' ') + 1);
          put(name.startsWith("rule ") ? rules : document, id, value);
        });
    Object order = document.remove("order");
    document.put("rules", ordered(rules, order));
    return JsonText.write(document);
  }

  private static void put(Map<String, Object> records, String id, Object value) {
    if (value == null) {
      records.remove(id);
    } else {
      records.put(id, value);
    }
  }

  /** Rules in an order of ids; those that it does not name stand behind the others. */
  private static List<Object> ordered(Map<String, Object> rules, Object order) {
    List<Object> ordered = new ArrayList<>();
    Map<String, Object> others = new LinkedHashMap<>(rules);
    if (order instanceof List<?> ids) {
      ids.forEach(
          id -> {
            Object rule = others.remove(id);
            if (rule != null) {
              ordered.add(rule);
            }
          });
    }
    ordered.addAll(others.values());
    return ordered;
  }
}
