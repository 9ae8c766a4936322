package dev.weir.proxy.store.fleet;

import java.util.concurrent.TimeUnit;

/**
 * Whether all sidecars that share budgets have the same rules. While new rules are rolled out they
 * do not, and need not; after {@link #LASTS_NS} somebody was forgotten, or two services share
 * budgets because they have one name, or none. Used by the thread that counts the sidecars.
 */
final class RuleAgreement {
  /** So long a difference is taken for a rollout. */
  static final long LASTS_NS = TimeUnit.MINUTES.toNanos(5);

  private boolean differ;
  private boolean isTold;
  private long sinceNs;

  /**
   * Takes note of a count.
   *
   * @param digestCount how many different sets of rules there are.
   * @return whether it is to be told: once for each disagreement that lasts.
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
