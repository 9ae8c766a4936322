package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.Amount;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.Rate;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads what tiers have in the place of a limit's numbers. */
final class TiersReader {
  static final String SECTION = "tiers";
  static final String LIMIT = "limit";
  static final String BURST = "burst";

  private final YamlTree tree;
  private final Faults faults;

  TiersReader(YamlTree tree, Faults faults) {
    this.tree = tree;
    this.faults = faults;
  }

  /**
   * Reads the tiers of a limit, if it has some.
   *
   * @param at what stands before the names of the limit's fields.
   */
  void read(String at, BudgetSpec.Fields<?> limit) {
    String path = at + SECTION;
    Map<String, Amount> tiers = new LinkedHashMap<>();
    for (String tier : tree.at(path).keys().keySet()) {
      String of = YamlTree.inner(path, tier);
      tree.read(of, text -> tiers.put(tier, Amount.parse(text)));
      tree.read(of + "." + LIMIT, text -> tiers.put(tier, new Amount(Rate.parse(text), 0)));
      tree.read(
          of + "." + BURST,
          text -> tiers.computeIfPresent(tier, (name, amount) -> amount.withBurst(text)));
    }
    if (!faults.isFaultyWithin(path)) {
      limit.tiers(tiers);
    }
  }
}
