package dev.weir.proxy.admission;

import dev.weir.algorithms.Limit;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.StoreMetrics;
import dev.weir.proxy.redis.LoopStore;
import dev.weir.proxy.redis.StoreDecision;
import dev.weir.proxy.redis.StoreKey;
import dev.weir.proxy.redis.StoreSettings;
import dev.weir.proxy.redis.StoreSink;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Identity;
import dev.weir.proxy.rule.Rule;
import java.util.function.IntSupplier;

/**
 * Decides by the store, for the whole fleet. A request passes only if the store says so, or if the
 * store says nothing and the rule's policy lets it pass; it is refused without a question only if
 * the store's last answer proves that the answer would be no.
 *
 * <p>One per event loop.
 */
public final class ExactGate implements Gate, StoreSink {
  private static final int PROOFS = 1 << 14;

  /** Sets the budgets of a share apart from those of rules that this node decides. */
  private static final long SHARE_SEED = 0x9E37_79B9_7F4A_7C15L;

  /** Nobody knows when the store is back: the least that a client can be told. */
  private static final long STORE_RETRY_NS = 1_000_000_000;

  private final LoopStore store;
  private final LocalGate local;
  private final LoopClock clock;
  private final StoreMetrics metrics;
  private final IntSupplier peerCount;
  private final StoreKeyWriter names;
  private final ProvenRefusals proofs = new ProvenRefusals(PROOFS);
  private final StoreKey key = new StoreKey();
  private final Verdict verdict = new Verdict();

  /** By parking place: what was asked for the ticket that has it. */
  private final long[] tickets = new long[AdmissionHandler.PARKING_PLACES];

  private final Rule[] rules = new Rule[AdmissionHandler.PARKING_PLACES];
  private final long[] identityHashes = new long[AdmissionHandler.PARKING_PLACES];
  private Outcome outcome;

  private Rule sharedRule;
  private int sharedAmong;
  private Limit share;

  /**
   * @param local decides while the store does not, where the rule says so.
   * @param peerCount how many sidecars share the store, as last counted.
   */
  public ExactGate(
      LoopStore store,
      StoreSettings settings,
      LocalGate local,
      LoopClock clock,
      StoreMetrics metrics,
      IntSupplier peerCount) {
    this.store = store;
    this.local = local;
    this.clock = clock;
    this.metrics = metrics;
    this.peerCount = peerCount;
    this.names = new StoreKeyWriter(settings.hashIdentities(), settings.hashKey());
    store.sink(this);
  }

  @Override
  public void ask(long ticket, Rule rule, Identity identity, long nowNs, Outcome asker) {
    outcome = asker;
    int proof = proofs.find(proofKey(rule, identity.hash()), nowNs);
    if (proof >= 0) {
      metrics.refusedByProof();
      asker.settle(
          ticket,
          verdict.refuse(
              RefusalReason.OVER_LIMIT,
              rule.policy(),
              proofs.remaining(proof),
              Math.max(0, proofs.resetAtNs(proof) - nowNs),
              proofs.untilNs(proof) - nowNs));
      return;
    }
    int place = (int) ticket;
    tickets[place] = ticket;
    rules[place] = rule;
    identityHashes[place] = identity.hash();
    names.write(rule, identity, key);
    store.ask(ticket, key, rule.storeLimit(), rule.cost(), rule.coalesces(), nowNs);
  }

  /** The same for as long as the rule's limit and cost are. */
  private static long proofKey(Rule rule, long identityHash) {
    return identityHash ^ rule.seed() ^ rule.cost() * SHARE_SEED;
  }

  @Override
  public void decided(long ticket, StoreDecision decision) {
    int place = (int) ticket;
    if (!isAwaited(ticket)) {
      drop(ticket);
      return;
    }
    Rule rule = rules[place];
    rules[place] = null;
    if (decision.allowed()) {
      verdict.allow(rule.policy(), decision.remaining(), decision.resetAfterNs());
      if (decision.waitNs() > 0) {
        outcome.hold(ticket, verdict, clock.nowNs() + decision.waitNs());
        return;
      }
    } else if (decision.retryAfterNs() == StoreDecision.NEVER) {
      verdict.refuse(
          RefusalReason.NEVER_SATISFIABLE,
          rule.policy(),
          decision.remaining(),
          decision.resetAfterNs(),
          0);
    } else {
      // The store decided when it was asked or later: what it says of the future holds until then.
      proofs.note(
          proofKey(rule, identityHashes[place]),
          decision.sentNs() + decision.retryAfterNs(),
          decision.sentNs() + decision.resetAfterNs(),
          decision.remaining());
      verdict.refuse(
          RefusalReason.OVER_LIMIT,
          rule.policy(),
          decision.remaining(),
          decision.resetAfterNs(),
          decision.retryAfterNs());
    }
    outcome.settle(ticket, verdict);
  }

  /** Whether the place still belongs to that ticket, and somebody waits there. */
  private boolean isAwaited(long ticket) {
    int place = (int) ticket;
    return tickets[place] == ticket && rules[place] != null && outcome.awaits(ticket);
  }

  /** The client is gone: the verdict finds nobody, and is counted. */
  private void drop(long ticket) {
    if (outcome != null) {
      outcome.settle(ticket, verdict.allowUnlimited());
    }
  }

  @Override
  public boolean unavailable(long ticket, StoreFault fault) {
    int place = (int) ticket;
    if (!isAwaited(ticket)) {
      drop(ticket);
      return false;
    }
    Rule rule = rules[place];
    rules[place] = null;
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
          case LOCAL_SHARE -> {
            long shareKey = identityHashes[place] ^ rule.seed() ^ SHARE_SEED;
            yield local.decide(ticket, rule, shareKey, share(rule), clock.nowNs(), outcome);
          }
        };
    metrics.fellBack(passed);
    return passed;
  }

  @Override
  public void forget() {
    proofs.clear();
  }

  /** This node's part of the limit; made anew only when the rule or the number of nodes changes. */
  private Limit share(Rule rule) {
    int nodes = peerCount.getAsInt();
    if (rule != sharedRule || nodes != sharedAmong) {
      sharedRule = rule;
      sharedAmong = nodes;
      share = rule.share(nodes);
    }
    return share;
  }
}
