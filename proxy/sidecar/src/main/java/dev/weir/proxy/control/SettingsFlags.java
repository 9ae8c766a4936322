package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads settings from flags alone, without a file and without loading what reads files. A flag is a
 * setting's name or, for the one rule that flags can make, a rule's field: {@code --upstream},
 * {@code --listen}, {@code --timeouts.head}; {@code --limit}, {@code --burst}, {@code --key}.
 */
public final class SettingsFlags {
  /** The id of the rule that flags make. */
  public static final String RULE_ID = "default";

  private SettingsFlags() {}

  /** The rows of all flags, those of rules behind the others. */
  public static List<SettingRow<?>> rows() {
    List<SettingRow<?>> rows = new ArrayList<>(SettingsTable.ALL);
    rows.addAll(RuleSettingsTable.ALL);
    rows.removeIf(row -> row.fileOnly() != null);
    return rows;
  }

  /**
   * Reads all flags and notes every fault.
   *
   * @param flags texts by flag, two dashes included; several texts of a list separated by commas.
   * @return null if there was a fault.
   */
  public static Settings read(Map<String, String> flags, Faults faults) {
    SettingsBuilder builder = new SettingsBuilder();
    RuleSpec.Builder rule = RuleSpec.builder(RULE_ID);
    boolean hasRule = false;
    for (Map.Entry<String, String> flag : flags.entrySet()) {
      String name = flag.getKey().startsWith("--") ? flag.getKey().substring(2) : "";
      SettingRow<SettingValues> row = SettingsBuilder.row(name);
      try {
        SettingRow<RuleSpec.Builder> ofRule = RuleSettingsTable.ROWS.get(name);
        if (ofRule != null) {
          hasRule = true;
          ofRule.reader().accept(rule, flag.getValue());
        } else if (row == null) {
          faults.add(0, flag.getKey(), "unknown flag");
        } else if (row.kind().isList()) {
          for (String item : flag.getValue().split(",", -1)) {
            row.reader().accept(builder.values, item.strip());
          }
        } else {
          row.reader().accept(builder.values, flag.getValue());
        }
      } catch (BadValueException bad) {
        faults.add(0, flag.getKey(), bad);
      }
    }
    if (!flags.containsKey("--upstream") && !flags.containsKey("--decision")) {
      faults.add(0, "--upstream", "missing", AddressText.EXPECTED_UPSTREAM + "; or --decision");
    }
    Misfits misfits = Misfits.ofFlags(faults);
    SettingsCheck.check(builder, misfits);
    RuleSpec spec = rule.build();
    // A field that could not be read has no known value: what it goes with is not checked.
    if (hasRule && RuleSettingsTable.ROWS.keySet().stream().noneMatch(misfits::isFaulty)) {
      spec.check(misfits::add);
    }
    List<RuleSpec> rules = hasRule ? List.of(spec) : List.of();
    if (faults.isEmpty()) {
      RuleNeeds needs = new RuleNeeds(rules, i -> "", misfits);
      needs.checkRingsAtStart(builder.admission());
      needs.checkStore(StoreSettingsTable.build(builder.values));
      needs.checkTokens(TokenTable.build(builder.values));
    }
    return faults.isEmpty() ? builder.build(rules, null, null) : null;
  }
}
