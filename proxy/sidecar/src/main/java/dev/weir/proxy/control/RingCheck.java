package dev.weir.proxy.control;

import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.List;
import java.util.function.IntFunction;

/** Whether the rings of limits have room, in the table that is made at start and never grows. */
final class RingCheck {
  private RingCheck() {}

  /**
   * Reports limits for whose rings a process that is to be started would have no room.
   *
   * @param rules each right by itself.
   * @param at what stands before the names of a rule's fields, by its place.
   */
  static void atStart(
      AdmissionSettings settings, List<RuleSpec> rules, IntFunction<String> at, Misfits misfits) {
    int needed = rules.stream().mapToInt(RuleSpec::ringCells).max().orElse(0);
    int cells = settings.ringCells(needed);
    if (settings.ringCellCount() != 0) {
      check(rules, at, cells, "as table.ring-cells says", misfits);
    }
    int mostKeys = cells == 0 ? Integer.MAX_VALUE : LimitTables.maxRingKeys(cells);
    if (settings.ringKeyCount() > mostKeys) {
      misfits.add(
          "table.ring-keys",
          Integer.toString(settings.ringKeyCount()),
          "at most " + mostKeys + ", as each has " + cells + " cells, and all of them 2GiB");
    }
  }

  /** Reports limits whose rings are longer than those of a running process; 0 if it has none. */
  static void atReload(
      int ringCells, List<RuleSpec> rules, IntFunction<String> at, Misfits misfits) {
    check(rules, at, ringCells, "as there are until a restart; see table.ring-cells", misfits);
  }

  private static void check(
      List<RuleSpec> rules, IntFunction<String> at, int ringCells, String why, Misfits misfits) {
    for (int i = 0; i < rules.size(); i++) {
      RuleSpec rule = rules.get(i);
      for (int j = 0; j < rule.budgets().size() && rule.ringCells() > ringCells; j++) {
        LimitSpec limit = rule.budgets().get(j).limit();
        int needed = limit.cells();
        if (needed > ringCells) {
          misfits.add(
              at.apply(i) + rule.fieldsOf(j) + "limit",
              limit.rate().toString(),
              "at most " + ringCells + " cells for each key, not " + needed + ", " + why);
        }
      }
    }
  }
}
