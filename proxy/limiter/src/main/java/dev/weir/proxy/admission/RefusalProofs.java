package dev.weir.proxy.admission;

import dev.weir.algorithms.lease.LeaseTerms;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.store.BudgetListener;
import dev.weir.proxy.store.StoreDecision;
import dev.weir.proxy.store.map.StoreKeys;

/**
 * Refuses by what the store's last answers prove, and records those answers: {@link ProofTable}.
 * One per event loop.
 */
final class RefusalProofs implements BudgetListener {
  private static final int PROOFS = 1 << 14;

  /**
   * How long a refusal is proof before the store is asked again. A refund can make the budget free
   * earlier: a decision that comes after its deadline is returned. That is rare, and asking costs
   * each event loop one check in five seconds for a busy key; but a free budget must not be refused
   * for the rest of a long window.
   */
  static final long PROOF_NS = 5_000_000_000L;

  /** Mixes costs into the keys of proofs. */
  private static final long COST_SEED = 0x9E37_79B9_7F4A_7C15L;

  private final LoopClock clock;
  private final ProofTable proofs = new ProofTable(PROOFS);
  private final StoreKeys named = new StoreKeys(1);

  /**
   * How long a refusal is proof for a rule whose keys are on several servers: requests that come
   * together may have taken from each other what they return at once.
   */
  private final long proofNsOfSeveralKeys;

  /** When budgets were reset by an operator: answers to earlier questions are no proof. */
  private long forgottenNs;

  RefusalProofs(LoopClock clock, long proofNsOfSeveralKeys) {
    this.clock = clock;
    this.proofNsOfSeveralKeys = proofNsOfSeveralKeys;
  }

  /** Whether it is proven that a group refuses a request. */
  boolean isProven(Charges charges, int group, long nowNs) {
    int charge = charges.firstCharge(group);
    boolean isProven = false;
    for (int i = 0; i < charges.group(group).size(); i++) {
      long budgetKey = charges.hash(group) ^ charges.group(group).budget(i).storeSeed();
      isProven |= proofs.find(key(budgetKey, charges.cost(charge + i)), nowNs) >= 0;
    }
    return isProven;
  }

  /**
   * The proven refusal for the store's charges of a question; null if there is none.
   *
   * @param without a bit for each of the store's groups that is skipped, the first the lowest.
   */
  Verdict find(Charges charges, int without, long nowNs, Verdict to) {
    int longest = -1;
    Budget refusing = null;
    int charge = charges.firstCharge(charges.localGroupCount());
    for (int i = charges.localGroupCount(); i < charges.groupCount(); i++) {
      BudgetGroup group = charges.group(i);
      if ((without >>> i - charges.localGroupCount() & 1) != 0) {
        charge += group.size();
        continue;
      }
      long hash = charges.hash(i);
      for (int j = 0; j < group.size(); j++) {
        long cost = charges.cost(charge++);
        int proof = proofs.find(key(hash ^ group.budget(j).storeSeed(), cost), nowNs);
        if (proof >= 0 && (longest < 0 || proofs.retryAtNs(proof) > proofs.retryAtNs(longest))) {
          longest = proof;
          refusing = group.budget(j);
        }
      }
    }
    if (longest < 0) {
      return null;
    }
    return to.refuse(
        RefusalReason.OVER_LIMIT,
        refusing.policy(),
        refusing.storeLimit().capacity(),
        proofs.remaining(longest),
        Math.max(0, proofs.resetAtNs(longest) - nowNs),
        proofs.retryAtNs(longest) - nowNs);
  }

  /**
   * Records a refusal. The store decided when it was asked or later, so its times hold from the
   * asking on.
   *
   * @param group of the budget that refused.
   * @param cost that was refused.
   */
  void note(Charges charges, int group, Budget budget, long cost, StoreDecision decision) {
    if (decision.retryAfterNs() == StoreDecision.NEVER || decision.sentNs() <= forgottenNs) {
      return;
    }
    boolean isAlone = charges.groupCount() - charges.localGroupCount() == 1;
    long key = key(charges.hash(group) ^ budget.storeSeed(), cost);
    LeaseTerms terms = charges.group(group).leaseTerms();
    long sinceNs =
        terms == null
            ? decision.sentNs()
            : proofs.refusedSinceNs(key, decision.sentNs(), terms.lifeNs());
    // Units that were out when the store refused first may come back for as long as they live.
    boolean mayUnitsBeOut = terms != null && decision.sentNs() - sinceNs < terms.lifeNs();
    long mostNs = isAlone ? PROOF_NS : proofNsOfSeveralKeys;
    int entry =
        proofs.note(
            key,
            decision.sentNs() + (mayUnitsBeOut ? Math.min(mostNs, terms.pauseNs()) : mostNs),
            decision.sentNs() + decision.retryAfterNs(),
            decision.sentNs() + decision.resetAfterNs(),
            decision.remaining());
    proofs.refusedSince(entry, sinceNs);
    proofs.name(entry, decision.keys().hash(decision.firstKey() + decision.limitIndex()));
  }

  /**
   * The store has granted such a request: units leased since may be returned after the next
   * refusal.
   */
  void granted(Charges charges, int group) {
    if (charges.group(group).leaseTerms() == null) {
      return;
    }
    int charge = charges.firstCharge(group);
    for (int i = 0; i < charges.group(group).size(); i++) {
      long budgetKey = charges.hash(group) ^ charges.group(group).budget(i).storeSeed();
      proofs.forget(key(budgetKey, charges.cost(charge + i)));
    }
  }

  /** The same for as long as the budget's limit and the cost are. */
  private static long key(long budgetKey, long cost) {
    return budgetKey ^ cost * COST_SEED;
  }

  @Override
  public void givenBack(StoreKeys given, int key, long cost) {
    proofs.forget(key(given.localKey(key), cost));
  }

  @Override
  public void forget(byte[] name, int partition) {
    named.clear();
    named.add(name, partition);
    proofs.forgetNamed(named.hash(0));
    forgottenNs = clock.tick();
  }

  @Override
  public void forgetAll() {
    proofs.clear();
    forgottenNs = clock.tick();
  }

  /** Forgets all proofs, as other servers may have what one has refused. */
  @Override
  public void serversChanged() {
    forgetAll();
  }
}
