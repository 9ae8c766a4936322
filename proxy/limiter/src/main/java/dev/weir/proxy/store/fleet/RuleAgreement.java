package dev.weir.proxy.store.fleet;

import java.util.concurrent.TimeUnit;

/**
 * Finds out whether all sidecars that share budgets have the same rules. While new rules are rolled
 * out they have not. After {@link #LASTS_NS} a sidecar was forgotten, or two services share budgets
 * because they have the same service name, or none. Used by the thread that counts the sidecars.
 */
final class RuleAgreement {
  /** For this long a difference counts as a rollout. */
  static final long LASTS_NS = TimeUnit.MINUTES.toNanos(5);

  private boolean differ;
  private boolean isTold;
  private long sinceNs;

  /**
   * Records a count.
   *
   * @param digestCount the number of different sets of rules.
   * @return whether to warn: once for each difference that lasts.
   */
  boolean counted(long digestCount, long nowNs) {
    if (digestCount <= 1) {
      differ = false;
      isTold = false;
      return false;
    }
    if (!differ) {
      differ = true;
      sinceNs = nowNs;
    }
    boolean tells = !isTold && nowNs - sinceNs >= LASTS_NS;
    isTold |= tells;
    return tells;
  }
}
