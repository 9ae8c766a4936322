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
      try {
        if (RuleSettingsTable.names().contains(name)) {
          hasRule = true;
          RuleSettingsTable.set(rule, name, flag.getValue());
        } else if (SettingsBuilder.isList(name)) {
          for (String item : flag.getValue().split(",", -1)) {
            builder.set(name, item.strip());
          }
        } else if (SettingsBuilder.names().contains(name)) {
          builder.set(name, flag.getValue());
        } else {
          faults.add(0, flag.getKey(), "unknown flag");
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
    if (hasRule && RuleSettingsTable.names().stream().noneMatch(misfits::isFaulty)) {
      spec.check(misfits::add);
    }
    List<RuleSpec> rules = hasRule ? List.of(spec) : List.of();
    if (faults.isEmpty()) {
      RingCheck.atStart(builder.admission(), rules, i -> "", misfits);
      StoreCheck.check(builder.store.build(), rules, i -> "", misfits);
    }
    return faults.isEmpty() ? builder.build(rules) : null;
  }
}
