package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.function.BiConsumer;

/** Warnings about bans that may be those of others. */
final class BanLint {
  private BanLint() {}

  /**
   * Tells of bans by the address of whoever connects, if no proxy is trusted to name its clients.
   *
   * @param sink takes a field of the rule, and what about it.
   */
  static void check(RuleSpec rule, boolean trustsProxies, BiConsumer<String, String> sink) {
    boolean isByAddress =
        rule.budgets().stream().anyMatch(budget -> budget.key().equals(KeySpec.IP));
    if (rule.ban() != null && isByAddress && !trustsProxies) {
      sink.accept(
          "ban",
          "clients behind one proxy have one address and are banned together, unless"
              + " trusted-proxies names the proxy");
    }
  }
}
