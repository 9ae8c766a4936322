package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.CostSpec;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.watch.SmallFile;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * A settings file with every default written out, each value with a comment that says from where it
 * is: a line of the file, a default, or the rule of a limit. It is a file itself, with the same
 * budgets, and is read again before anybody gets it.
 *
 * <p>What is given is copied as it stands, whatever it is. The defaults are those that the tables
 * of settings and of rules have; one that may not stand where it would is left out.
 */
public final class EffectiveFile {
  private static final String DEFAULT = "default";

  /** How often defaults that may not stand there are taken away, some faults at a time. */
  private static final int MOST_READINGS = 50;

  private static final Map<String, String> VARIABLES =
      Map.of(
          "redis.password-file", StoreSettingsTable.PASSWORD_VARIABLE,
          "redis.sentinel-password-file", StoreSettingsTable.SENTINEL_PASSWORD_VARIABLE,
          "redis.hash-key-file", StoreSettingsTable.HASH_KEY_VARIABLE);

  private final SourcedValue file;
  private final Set<String> filled = new HashSet<>();

  private EffectiveFile(SourcedValue file) {
    this.file = file;
  }

  /**
   * Writes out a file.
   *
   * @param environment variables by name.
   * @return null if it has a fault, or would be larger than a file may be.
   */
  public static String of(byte[] content, Map<String, String> environment, Faults faults) {
    Settings settings = new SettingsFile().read(content, faults);
    if (settings == null) {
      return null;
    }
    Node root = YamlDocument.compose(content, "", faults);
    YamlTree tree = new YamlTree(root, faults);
    EffectiveFile effective = new EffectiveFile(SourcedValue.of(tree, ""));
    effective.fillSettings();
    List<RuleSpec> rules = settings.rules().rules();
    for (int i = 0; i < rules.size(); i++) {
      effective.fillRule(rules.get(i), i, settings.rules().everywhere() != null);
    }
    if (settings.rules().everywhere() != null) {
      effective.fillEverywhere(settings.rules().everywhere());
    }
    return effective.write(environment, faults);
  }

  private String write(Map<String, String> environment, Faults faults) {
    for (int reading = 0; reading < MOST_READINGS; reading++) {
      StringBuilder text = new StringBuilder();
      VARIABLES.forEach(
          (name, variable) -> {
            if (environment.containsKey(variable) && !file.has(name)) {
              text.append("# ").append(name).append(": not given, as $").append(variable);
              text.append(" of the environment says it\n");
            }
          });
      file.write(text, "");
      byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
      if (bytes.length > SmallFile.MAX_BYTES) {
        String wanted = "at most " + SmallFile.MAX_BYTES + ", as a file may have";
        faults.add(0, "", bytes.length + " bytes with every default (expected: " + wanted + ")");
        return null;
      }
      Faults own = Faults.ofFile("effective");
      if (new SettingsFile().read(bytes, own) != null) {
        return text.toString();
      }
      boolean isLess = false;
      for (Faults.Fault fault : own.all()) {
        isLess |= takeAway(fault.path());
      }
      if (!isLess) {
        throw new IllegalStateException("what was written out is no settings file: " + own);
      }
    }
    throw new IllegalStateException("too many defaults may not stand where they would");
  }

  /** Takes away a default that may not stand there, or all beside it; whether there was one. */
  private boolean takeAway(String path) {
    String section = path.substring(0, path.lastIndexOf('.') + 1);
    List<String> ours =
        filled.contains(path)
            ? List.of(path)
            : filled.stream()
                .filter(name -> !section.isEmpty() && name.startsWith(section))
                .toList();
    ours.forEach(file::remove);
    return filled.removeAll(ours);
  }

  private void fillSettings() {
    boolean isAsked = file.has("decision") && !file.has("upstream");
    for (SettingRow<?> row : SettingsTable.ALL) {
      boolean isNobodys = isAsked && row.name().equals("listen");
      if (row.standard() != null && !file.has(row.name()) && !isNobodys) {
        file.put(row.name(), standard(row, row.standard(), DEFAULT));
        filled.add(row.name());
      }
    }
  }

  private void fillRule(RuleSpec rule, int index, boolean hasEverywhere) {
    SourcedValue written = file.keys().get("rules").items().get(index);
    String at = "rules[" + index + "].";
    boolean limits = rule.action() == RuleAction.LIMIT;
    if (!written.has("match.path") && !written.has("match.grpc")) {
      put(written, at, "match.path", SourcedValue.scalar(ValueType.TEXT, "/**", DEFAULT));
    }
    for (SettingRow<?> row : RuleSettingsTable.ALL) {
      String text = limits || !isOfLimits(row.name()) ? standard(row, rule) : null;
      if (text != null && !written.has(row.name())) {
        put(written, at, row.name(), standard(row, text, DEFAULT));
      }
    }
    if (hasEverywhere && rule.action() != RuleAction.DENY && !written.has(RuleSpec.EVERYWHERE)) {
      put(written, at, RuleSpec.EVERYWHERE, SourcedValue.scalar(ValueType.SWITCH, "true", DEFAULT));
    }
    if (limits && rule.isList()) {
      List<SourcedValue> items = written.keys().get("limits").items();
      for (int i = 0; i < items.size(); i++) {
        fillLimit(items.get(i), at + "limits[" + i + "].", rule.budgets().get(i), rule, written);
      }
    }
  }

  private void fillEverywhere(RuleSpec everywhere) {
    List<SourcedValue> items = file.keys().get(RuleSpec.EVERYWHERE).items();
    for (int i = 0; i < items.size(); i++) {
      String at = RuleSpec.EVERYWHERE + "[" + i + "].";
      fillLimit(items.get(i), at, everywhere.budgets().get(i), everywhere, null);
    }
  }

  /**
   * Fills one of a list of limits.
   *
   * @param within the rule as it was written; null for the limits of all requests.
   */
  private void fillLimit(
      SourcedValue limit, String at, BudgetSpec spec, RuleSpec rule, SourcedValue within) {
    for (SettingRow<?> row : RuleSettingsTable.OF_LIMIT) {
      String name = row.name();
      if (limit.has(name)) {
        continue;
      }
      if (RuleSettingsTable.isInherited(name)) {
        SourcedValue ofRule = inherited(name, spec, rule, within);
        if (ofRule != null) {
          put(limit, at, name, ofRule);
        }
      } else {
        String text = LimitDefaults.text(name, row.standard(), spec);
        if (text != null) {
          put(limit, at, name, standard(row, text, DEFAULT));
        }
      }
    }
  }

  /** The value that a rule says of a limit, or its default; null if this limit has none. */
  private static SourcedValue inherited(
      String name, BudgetSpec spec, RuleSpec rule, SourcedValue within) {
    boolean isOfUse =
        switch (name) {
          case "cost" ->
              rule.cost().kind() != CostSpec.Kind.MESSAGES && !spec.limit().isConcurrency();
          case "on-store-failure" -> spec.mode().needsStore();
          case "lease-life" -> false;
          default -> true;
        };
    if (!isOfUse) {
      return null;
    }
    SourcedValue ofRule = within == null ? null : within.keys().get(name);
    if (ofRule != null) {
      boolean isGiven = ofRule.source().startsWith("line");
      return ofRule.from(isGiven ? "the rule's, " + ofRule.source() : "the rule's default");
    }
    SettingRow<?> row = RuleSettingsTable.ROWS.get(name);
    return standard(row, row.standard(), DEFAULT);
  }

  /** The text of a rule's field where none is given; null if it may not be given, or has none. */
  private static String standard(SettingRow<?> row, RuleSpec rule) {
    boolean isOfOne =
        RuleSettingsTable.OF_LIMIT.stream().anyMatch(of -> of.name().equals(row.name()));
    if (row.name().equals("on-store-failure")) {
      return rule.asksStore() ? row.standard() : null;
    }
    boolean isOfSlots = !rule.isList() && rule.budgets().get(0).limit().isConcurrency();
    if (row.name().equals("cost") && isOfSlots) {
      return null;
    }
    if (!isOfOne || RuleSettingsTable.isInherited(row.name())) {
      return row.standard();
    }
    return rule.isList() || rule.action() != RuleAction.LIMIT
        ? null
        : LimitDefaults.text(row.name(), row.standard(), rule.budgets().get(0));
  }

  /** Whether a field of a rule says something of its limits. */
  private static boolean isOfLimits(String name) {
    return name.equals("share")
        || RuleSettingsTable.OF_LIMIT.stream().anyMatch(of -> of.name().equals(name));
  }

  private void put(SourcedValue section, String at, String name, SourcedValue value) {
    section.put(name, value);
    filled.add(at + name);
  }

  /** A default, in the type that files have it in. */
  private static SourcedValue standard(SettingRow<?> row, String text, String source) {
    ValueType type = ValueType.TEXT;
    if (text.matches("-?[0-9]+") && row.kind().types().contains(ValueType.WHOLE_NUMBER)) {
      type = ValueType.WHOLE_NUMBER;
    } else if (text.matches("[0-9]+\\.[0-9]+") && row.kind().types().contains(ValueType.NUMBER)) {
      type = ValueType.NUMBER;
    } else if (row.kind().types().equals(List.of(ValueType.SWITCH))) {
      type = ValueType.SWITCH;
    }
    return SourcedValue.scalar(type, text, source);
  }
}
