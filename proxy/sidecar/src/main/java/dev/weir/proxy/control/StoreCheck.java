package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.map.StoreSettings;
import java.util.List;
import java.util.function.IntFunction;

/** Whether there is a store for the rules that need one. */
final class StoreCheck {
  private StoreCheck() {}

  /**
   * Reports the rules that ask a store that there is not.
   *
   * @param rules each right by itself.
   * @param at what stands before a field of a rule, by its place.
   */
  static void check(
      StoreSettings store, List<RuleSpec> rules, IntFunction<String> at, Misfits misfits) {
    for (int i = 0; i < rules.size() && !store.isConfigured(); i++) {
      if (rules.get(i).asksStore()) {
        misfits.add(
            at.apply(i) + rules.get(i).fieldThatAsksStore(),
            rules.get(i).modeThatAsksStore().toString(),
            "local, or redis.nodes to be set");
      }
      if (rules.get(i).countsPeers()) {
        misfits.add(
            at.apply(i) + "share",
            "auto",
            "none, or redis.nodes to be set: peers are counted there");
      }
    }
  }
}
