package dev.weir.proxy.admission;

import dev.weir.algorithms.Limit;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.StoreMetrics;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSpec;
import java.util.function.IntSupplier;

/** Decides while the store does not, as each rule says. One per event loop. */
final class FailurePolicy {
  /** Sets the budgets of a share apart from those of rules that this node decides. */
  private static final long SHARE_SEED = 0x9E37_79B9_7F4A_7C15L;

  /** Nobody knows when the store is back: the least that a client can be told. */
  private static final long STORE_RETRY_NS = 1_000_000_000;

  private final LocalGate local;
  private final LoopClock clock;
  private final StoreMetrics metrics;
  private final IntSupplier peerCount;
  private final Verdict verdict = new Verdict();

  private final Limit[] shares = new Limit[RuleSpec.MAX_BUDGETS];
  private Rule sharedRule;
  private int sharedAmong;

  /**
   * @param local decides where the rule says so.
   * @param peerCount how many sidecars share the store, as last counted.
   */
  FailurePolicy(LocalGate local, LoopClock clock, StoreMetrics metrics, IntSupplier peerCount) {
    this.local = local;
    this.clock = clock;
    this.metrics = metrics;
    this.peerCount = peerCount;
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
                verdict.refuse(RefusalReason.STORE_UNAVAILABLE, null, 0, 0, STORE_RETRY_NS));
            yield false;
          }
          case LOCAL_SHARE -> decideByShare(ticket, rule, hashes, outcome);
        };
    metrics.fellBack(passed);
    return passed;
  }

  private boolean decideByShare(long ticket, Rule rule, long[] hashes, Gate.Outcome outcome) {
    share(rule);
    local.begin();
    for (int i = 0, share = 0; i < rule.groupCount(); i++) {
      BudgetGroup group = rule.group(i);
      for (int j = 0; j < group.size(); j++) {
        Budget budget = group.budget(j);
        local.add(hashes[i] ^ budget.seed() ^ SHARE_SEED, shares[share++], budget.policy());
      }
    }
    return local.decide(ticket, rule.cost(), clock.nowNs(), outcome);
  }

  /**
   * This node's part of the limits; made anew only when the rule or the number of nodes changes.
   */
  private void share(Rule rule) {
    int nodes = peerCount.getAsInt();
    if (rule != sharedRule || nodes != sharedAmong) {
      sharedRule = rule;
      sharedAmong = nodes;
      for (int i = 0, share = 0; i < rule.groupCount(); i++) {
        for (int j = 0; j < rule.group(i).size(); j++) {
          shares[share++] = rule.group(i).budget(j).share(nodes);
        }
      }
    }
  }
}
