package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.map.StoreSettings;
import java.util.List;
import java.util.function.BiConsumer;
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
      StoreSettings store,
      List<RuleSpec> rules,
      IntFunction<String> at,
      BiConsumer<String, BadValueException> sink) {
    for (int i = 0; i < rules.size() && !store.isConfigured(); i++) {
      if (rules.get(i).asksStore()) {
        sink.accept(
            at.apply(i) + rules.get(i).fieldThatAsksStore(),
            new BadValueException(
                rules.get(i).modeThatAsksStore().toString(), "local, or redis.nodes to be set"));
      }
      if (rules.get(i).countsPeers()) {
        sink.accept(
            at.apply(i) + "share",
            new BadValueException(
                "auto", "none, or redis.nodes to be set: peers are counted there"));
      }
    }
  }
}
