package dev.weir.proxy.admission;

import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSpec;
import dev.weir.proxy.store.StoreDecision;
import dev.weir.proxy.store.StoreKeys;
import dev.weir.proxy.store.StoreTaker;
import dev.weir.scripts.ScriptLimit;

/**
 * A request of a rule with several keys, from the question until the last of its checks has come to
 * its end, which may be after the verdict. Reused. One check has the budgets of all keys, or each
 * key has its own.
 */
final class StoreAsk implements StoreTaker {
  private static final int BYTES_AT_FIRST = 256;

  enum State {
    /** No verdict yet. */
    OPEN,
    PASSED,
    REFUSED
  }

  /** Its place among all. */
  final int index;

  /** The keys of all checks, one behind the other. */
  final StoreKeys keys = new StoreKeys(RuleSpec.MAX_BUDGETS, BYTES_AT_FIRST);

  /** Of its identities, by the rule's groups. */
  final long[] hashes = new long[RuleSpec.MAX_BUDGETS];

  long ticket;
  Rule rule;
  State state;
  int checkCount;

  /** Checks that have not come to their end, and one more while they are being asked. */
  int openCount;

  /** When it came. */
  long askedNs;

  /** How often what was refused has been asked again. */
  int repeatCount;

  /** When it is to be asked again, and who comes after it; while it waits for that. */
  long dueNs;

  StoreAsk next;

  private final boolean[] granted = new boolean[RuleSpec.MAX_BUDGETS];
  private final long[] decidedAtUs = new long[RuleSpec.MAX_BUDGETS];

  /** The first check that has refused; {@code checkCount} if none has. */
  private int firstRefused;

  /** What the verdict is about if the request passes: the budget with the least share left. */
  private final Figures tightest = new Figures();

  private double share;

  /** What it is about if not: the one with the longest wait. */
  private final Figures refusing = new Figures();

  /** What a decision says of one budget. */
  private static final class Figures {
    private Budget budget;
    private long remaining;
    private long resetAfterNs;
    private long retryAfterNs;

    void note(Budget of, StoreDecision decision) {
      budget = of;
      remaining = decision.remaining();
      resetAfterNs = decision.resetAfterNs();
      retryAfterNs = decision.retryAfterNs();
    }

    boolean isNever() {
      return retryAfterNs == StoreDecision.NEVER;
    }
  }

  private final ExactGate gate;

  StoreAsk(ExactGate gate, int index) {
    this.gate = gate;
    this.index = index;
  }

  @Override
  public void decided(long check, StoreDecision decision) {
    gate.decided(this, (int) check, decision);
  }

  @Override
  public boolean unavailable(long check, StoreFault fault) {
    return gate.unavailable(this);
  }

  void begin(long ofTicket, Rule ofRule, StoreKeys from, int checks, long nowNs) {
    ticket = ofTicket;
    rule = ofRule;
    state = State.OPEN;
    keys.set(from);
    checkCount = checks;
    repeatCount = 0;
    askedNs = nowNs;
    share = Double.POSITIVE_INFINITY;
    for (int check = 0; check < checks; check++) {
      granted[check] = false;
    }
    beginFrom(0);
  }

  /** Those from one check on are asked, for the first time or again. */
  void beginFrom(int check) {
    openCount = checkCount - check + 1;
    firstRefused = checkCount;
  }

  /** The limits of a check. */
  ScriptLimit[] limits(int check) {
    return checkCount == 1 ? rule.storeLimits() : rule.group(check).storeLimits();
  }

  /** The first key of a check. */
  int firstKey(int check) {
    int key = 0;
    for (int group = 0; group < check; group++) {
      key += rule.group(group).size();
    }
    return key;
  }

  /** The group that one of a check's limits belongs to. */
  int groupOf(int check, int limit) {
    int group = check;
    for (int left = limit; left >= rule.group(group).size(); group++) {
      left -= rule.group(group).size();
    }
    return group;
  }

  /** One of a check's limits. */
  Budget budgetOf(int check, int limit) {
    int group = groupOf(check, limit);
    return rule.group(group).budget(limit + firstKey(check) - firstKey(group));
  }

  void granted(int check, StoreDecision decision) {
    granted[check] = true;
    decidedAtUs[check] = decision.decidedAtUs();
    Budget of = budgetOf(check, decision.limitIndex());
    double left = (double) decision.remaining() / of.storeLimit().capacity();
    if (left < share) {
      share = left;
      tightest.note(of, decision);
    }
  }

  void refused(int check, StoreDecision decision) {
    long waitNs = decision.retryAfterNs();
    boolean isLonger =
        waitNs == StoreDecision.NEVER || !refusing.isNever() && waitNs > refusing.retryAfterNs;
    if (!isRefused() || isLonger) {
      refusing.note(budgetOf(check, decision.limitIndex()), decision);
    }
    firstRefused = Math.min(firstRefused, check);
  }

  /** Whether a check has refused, so that the request cannot pass. */
  boolean isRefused() {
    return firstRefused < checkCount;
  }

  /** Whether there are checks before the first that has refused, and it holds what they charged. */
  boolean holdsFirst() {
    for (int check = 0; check < firstRefused; check++) {
      if (!granted[check]) {
        return false; // it has no decision, and asking again asks from the refused one on
      }
    }
    return firstRefused > 0;
  }

  /** The first check that has refused, if any has. */
  int firstRefused() {
    return firstRefused;
  }

  /** What a check was granted has been given back: it is charged with nothing. */
  void givenBack(int check) {
    granted[check] = false;
  }

  /** When a check was granted, in the time of its server; negative if it was not. */
  long grantedAtUs(int check) {
    return granted[check] ? decidedAtUs[check] : -1;
  }

  /** What all checks together have decided. */
  Verdict verdict(Verdict to) {
    if (!isRefused()) {
      return to.allow(
          tightest.budget.policy(),
          tightest.budget.storeLimit().capacity(),
          tightest.remaining,
          tightest.resetAfterNs);
    }
    return to.refuse(
        refusing.isNever() ? RefusalReason.NEVER_SATISFIABLE : RefusalReason.OVER_LIMIT,
        refusing.budget.policy(),
        refusing.budget.storeLimit().capacity(),
        refusing.remaining,
        refusing.resetAfterNs,
        refusing.isNever() ? 0 : refusing.retryAfterNs);
  }
}
