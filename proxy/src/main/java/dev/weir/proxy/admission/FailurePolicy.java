package dev.weir.proxy.admission;

import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.StoreMetrics;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Rule;

/** Decides while the store does not, as each rule says. One per event loop. */
final class FailurePolicy {
  /** Sets the budgets of a share apart from those of rules that this node decides. */
  private static final long SHARE_SEED = 0x9E37_79B9_7F4A_7C15L;

  /** Nobody knows when the store is back: the least that a client can be told. */
  private static final long STORE_RETRY_NS = 1_000_000_000;

  private final LocalGate local;
  private final LoopClock clock;
  private final StoreMetrics metrics;
  private final Verdict verdict = new Verdict();

  /**
   * @param local decides where the rule says so.
   */
  FailurePolicy(LocalGate local, LoopClock clock, StoreMetrics metrics) {
    this.local = local;
    this.clock = clock;
    this.metrics = metrics;
  }

  /**
   * Settles a request.
   *
   * @param hashes of its identities, by the rule's groups.
   * @return whether it passes.
   */
  boolean decide(long ticket, Rule rule, long[] hashes, Gate.Outcome outcome) {
    boolean passed =
        switch (rule.onStoreFailure()) {
          case OPEN -> {
            outcome.settle(ticket, verdict.allowUnlimited());
            yield true;
          }
          case CLOSED -> {
            outcome.settle(
                ticket,
                verdict.refuse(RefusalReason.STORE_UNAVAILABLE, null, 0, 0, 0, STORE_RETRY_NS));
            yield false;
          }
          case LOCAL_SHARE ->
              local.decide(ticket, rule, hashes, SHARE_SEED, clock.nowNs(), outcome);
        };
    metrics.fellBack(passed);
    return passed;
  }
}
