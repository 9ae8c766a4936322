package dev.weir.proxy.admission;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.HeldBudget;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitSet;
import dev.weir.algorithms.LimitTable;
import dev.weir.algorithms.PlannedLimit;
import dev.weir.algorithms.adaptive.AdaptiveLimit;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.spec.OnStoreFailure;

/** Decides at once from this node's limit tables, which all event loops share. */
public final class LocalGate implements Gate {
  /**
   * A shorter wait in a queue counts as none: timers are coarser, and a fractional rate may give 2
   * ns.
   */
  private static final long LEAST_WAIT_NS = 1_000;

  private static final long NOBODY = -1;

  /** The least retry time for a request that this sidecar has no share of a limit for. */
  private static final long LEAST_RETRY_NS = 1_000_000_000;

  /**
   * The most budgets that are prefetched at once: more than the reads that a processor has under
   * way.
   */
  private static final int MAX_PREFETCHED = 64;

  /**
   * How often a decision starts again because the rules have changed meanwhile; then the request is
   * refused.
   */
  private static final int MAX_ATTEMPTS = 8;

  /** Separates the keys of shares of the store's budgets from those of this node's own budgets. */
  static final long SHARE_SEED = 0x9E37_79B9_7F4A_7C15L;

  private final LimitTables tables;
  private final LimitSet budgets = new LimitSet();

  /** The quota policy of each budget, and its place among the rows of the verdict. */
  private final QuotaPolicy[] policies = new QuotaPolicy[LimitSet.MAX_SIZE];

  private final int[] rows = new int[LimitSet.MAX_SIZE];

  /** The budgets that hold, by their places among the charged ones; null for those that do not. */
  private final Budget[] held = new Budget[LimitSet.MAX_SIZE];

  /** A flag for each budget: whether users may have other numbers of it. */
  private final boolean[] areOfUsers = new boolean[LimitSet.MAX_SIZE];

  /** The user of the question, with the plan of the attempt. */
  private final PlannedUser user = new PlannedUser();

  /** A limit, and a former one, that read words which the plan before has left. */
  private final PlannedLimit planned = new PlannedLimit();

  private final PlannedLimit plannedPast = new PlannedLimit();
  private final long[] heldIdentities = new long[LimitSet.MAX_SIZE];
  private final int[] heldCharges = new int[LimitSet.MAX_SIZE];
  private final Decision decision = new Decision();
  private final Verdict verdict = new Verdict();

  /**
   * The request that was charged last, until the next decision, or until its charge is kept; and
   * when.
   */
  private long chargedTicket = NOBODY;

  private long chargedAtNs;

  /** A budget of which this sidecar has no share; null if the last question had none. */
  private Budget withoutShare;

  /** Budgets to prefetch. */
  private final LimitTable[] prefetchTables = new LimitTable[MAX_PREFETCHED];

  private final long[] prefetchKeys = new long[MAX_PREFETCHED];
  private int prefetchCount;
  private long fetched;

  public LocalGate(LimitTables tables) {
    this.tables = tables;
  }

  @Override
  public Verdict ask(long ticket, Charges charges, long nowNs, Outcome outcome) {
    return decide(ticket, charges, false, nowNs);
  }

  @Override
  public void prefetch(Rule rule, Identities of) {
    for (int i = 0; i < rule.groupCount(); i++) {
      BudgetGroup group = rule.group(i);
      long identity = of.of(i).hash();
      for (int j = 0; j < group.size(); j++) {
        Budget budget = group.budget(j).latest();
        Limit share = budget.share();
        if (share == null || budget.isConcurrency()) {
          continue; // requests in flight are not counted for questions that come together
        }
        prefetch(tables.of(share), identity ^ budget.seed());
        if (budget.holds()) {
          prefetch(tables.words(), identity ^ budget.heldSeed());
        }
      }
    }
  }

  private void prefetch(LimitTable table, long key) {
    if (prefetchCount < MAX_PREFETCHED) {
      prefetchTables[prefetchCount] = table;
      prefetchKeys[prefetchCount++] = key;
    }
  }

  @Override
  public void fetch() {
    long read = 0;
    for (int i = 0; i < prefetchCount; i++) {
      read ^= prefetchTables[i].fetch(prefetchKeys[i]);
    }
    fetched = read;
    prefetchCount = 0;
  }

  /**
   * Decides on budgets, or on those that have replaced them since the request was matched.
   *
   * @param asShare whether the budgets are the store's, and are decided by this sidecar's share
   *     under the failure policy.
   * @return the verdict, valid until the next question.
   */
  Verdict decide(long ticket, Charges charges, boolean asShare, long nowNs) {
    chargedTicket = NOBODY;
    boolean allowed = false;
    boolean decided = false;
    withoutShare = null;
    user.set(charges.user());
    for (int attempt = 0; !decided && attempt < MAX_ATTEMPTS; attempt++) {
      if (gather(charges, asShare, nowNs)) {
        if (budgets.size() == 0) {
          return verdict.allowUnlimited(); // by the plan that the user has by now
        }
        allowed =
            switch (charges.operation()) {
              case CHECK -> budgets.check(nowNs, decision);
              case PEEK -> budgets.peek(nowNs, decision);
              case RESET -> reset(nowNs);
            };
        decided = !decision.moved();
      } else if (withoutShare != null) {
        return refuse(withoutShare).ofOthers();
      }
    }
    if (!allowed && decision.noRoom()) {
      return verdict.refuse(RefusalReason.TOO_MANY_IN_FLIGHT);
    }
    Verdict answer = answer(allowed, nowNs);
    if (allowed && charges.operation() == Operation.CHECK) {
      chargedTicket = ticket;
      chargedAtNs = nowNs;
    }
    if (asShare || decision.shared() || decision.contended() || decision.moved()) {
      answer.ofOthers();
    }
    if (charges.holds() && chargedTicket == ticket) {
      holdOrCharge(charges, nowNs);
    }
    if (charges.areRowsWanted()) {
      addRows(allowed && charges.operation() == Operation.CHECK, nowNs, answer);
    }
    return answer;
  }

  /** Adds what is held to the request's holding; of a request without an end, charges it now. */
  private void holdOrCharge(Charges charges, long nowNs) {
    for (int i = 0; i < budgets.size(); i++) {
      Budget budget = held[i];
      if (budget == null) {
        continue;
      }
      int charge = heldCharges[i];
      long units = budgets.cost(i);
      if (charges.isHeld(charge)) {
        charges.holding().add(budget, heldIdentities[i], units, charges.reportedCost(charge));
        charges.holding().user().set(user);
      } else {
        settle(budget, user, heldIdentities[i], units, units, nowNs);
        held[i] = null;
      }
    }
  }

  @Override
  public long settle(Holding holding, int from, long nowNs) {
    long uncharged = 0;
    while (holding.count() > from && holding.lastInStore() == null) {
      int last = holding.count() - 1;
      Budget budget = holding.budget(last);
      if (budget.isConcurrency()) {
        release(holding, last, nowNs);
      } else {
        long left =
            settle(
                budget,
                holding.user(),
                holding.identity(last),
                holding.units(last),
                holding.cost(last),
                nowNs);
        uncharged += holding.isShare(last) ? 0 : left;
      }
      holding.removeLast();
    }
    return uncharged;
  }

  /** Releases a request's slot, and tells a limit that finds its number what the end says. */
  private void release(Holding holding, int index, long nowNs) {
    Budget budget = holding.budget(index);
    long heldKey = holding.identity(index) ^ budget.heldSeed();
    long inFlight = holding.units(index);
    inFlight += tables.words().release(heldKey, inFlight, nowNs);
    AdaptiveLimit number = budget.latest().limit().adaptive();
    if (number != null && holding.ended() != null) {
      ServiceSample.take(holding.ended(), holding.isDropped(index), inFlight, number, nowNs);
    }
  }

  /**
   * Charges a cost to the budget that has followed the one in which units were held, and then
   * releases the units.
   *
   * @return whole units that were not charged, as they are more than what was held and a whole
   *     budget, or more than the limit can count.
   */
  private long settle(
      Budget budget, PlannedUser whose, long identity, long units, long cost, long nowNs) {
    LimitTable words = tables.words();
    long heldKey = identity ^ budget.heldSeed();
    for (int attempt = 0; cost > 0 && attempt < MAX_ATTEMPTS; attempt++) {
      whose.read();
      Budget latest = whose.budget(budget.latest());
      if (latest == null || latest.isConcurrency()) {
        break; // nothing can be charged to what has followed
      }
      Limit share = latest.share() == null ? latest.limit() : latest.share();
      LimitTable table = tables.of(share);
      long key = identity ^ latest.seed();
      Limit limit = whose.under(latest, share, planned);
      if (latest.past() == null || carryOver(latest, whose, identity, table, key, limit, nowNs)) {
        long owed = latest.unitsOf(budget, cost);
        long charged = Math.min(owed, latest.unitsOf(budget, units) + share.capacity());
        if (HeldBudget.settle(table, key, limit, charged, words, heldKey, units, nowNs, decision)) {
          return latest.whole(owed - decision.granted());
        }
      }
    }
    words.release(heldKey, units, nowNs);
    return budget.whole(cost);
  }

  /**
   * Collects the budgets. False, with a refusal, if use under former limits is still being carried
   * over, or if this sidecar has no share of a limit.
   */
  private boolean gather(Charges charges, boolean asShare, long nowNs) {
    boolean gathered = true;
    budgets.clear();
    user.read();
    int from = asShare ? charges.localGroupCount() : 0;
    int to = asShare ? charges.groupCount() : charges.localGroupCount();
    int charge = charges.firstCharge(from);
    for (int i = from; i < to; i++) {
      BudgetGroup group = charges.group(i);
      if (asShare && group.onStoreFailure() != OnStoreFailure.LOCAL_SHARE) {
        charge += group.size();
        continue;
      }
      long identity = asShare ? charges.hash(i) ^ SHARE_SEED : charges.hash(i);
      for (int j = 0; j < group.size(); j++) {
        long cost = charges.cost(charge);
        int row = charges.row(charge++, group.budget(j));
        if (group.budget(j).isFormer()) {
          continue;
        }
        Budget budget = user.budget(group.budget(j).latest());
        if (budget == null) {
          continue; // the user's plan has no such limit by now
        }
        Limit share = budget.share();
        if (share == null && charges.operation() != Operation.RESET) {
          withoutShare = budget;
          return false;
        }
        Limit limit = share == null ? budget.limit() : share;
        int place = budgets.size();
        policies[place] = budget.policy();
        rows[place] = row;
        held[place] = null;
        areOfUsers[place] = budget.isOfUsers();
        LimitTable table = tables.of(limit);
        long key = identity ^ budget.seed();
        if (budget.holds()) {
          held[place] = budget;
          heldIdentities[place] = identity;
          heldCharges[place] = charge - 1;
          long heldKey = identity ^ budget.heldSeed();
          if (budget.isConcurrency()) {
            budgets.add(table, heldKey, limit, 1);
            continue; // whose word is the same under any number
          }
          budgets.addHeld(table, key, limit, tables.words(), heldKey, cost);
        } else {
          budgets.add(table, key, limit, cost);
        }
        user.tell(budgets, budget);
        if (budget.past() != null) {
          Limit under = user.under(budget, limit, planned);
          gathered = gathered && carryOver(budget, user, identity, table, key, under, nowNs);
        }
      }
    }
    return gathered;
  }

  /**
   * Moves what an identity used before its limit changed to the new limit, from the newest former
   * limit first. Other threads that are moving it meanwhile start again ({@link
   * LimitTable#carryOver}).
   *
   * @return false, with a refusal, if another thread has not finished moving it.
   */
  private boolean carryOver(
      Budget budget,
      PlannedUser whose,
      long identity,
      LimitTable table,
      long key,
      Limit limit,
      long nowNs) {
    Budget.Past newest = budget.past();
    if (newest.isOver() && table.isKnown(key, nowNs)) {
      return true; // it came with all that there was
    }
    for (Budget.Past past = newest; past != null; past = past.earlier()) {
      long pastKey = identity ^ past.seed();
      LimitTable from = tables.of(past.limit());
      Limit under = whose.under(past, budget, plannedPast);
      if (!from.carryOver(pastKey, under, table, key, limit, past.isOver(), nowNs, decision)) {
        return false;
      }
    }
    return true;
  }

  /** Resets budgets, and those of replaced limits, as their use has been carried over. */
  private boolean reset(long nowNs) {
    budgets.reset(nowNs);
    return budgets.peek(nowNs, decision);
  }

  /** Refuses as this sidecar has no share: it may get one when older sidecars end. */
  private Verdict refuse(Budget of) {
    long retryAfterNs = Math.max(LEAST_RETRY_NS, of.spec().limit().comesBackNs());
    return verdict.refuse(
        RefusalReason.OVER_LIMIT,
        of.policy(),
        of.limit().capacity(),
        0,
        retryAfterNs,
        retryAfterNs);
  }

  private Verdict answer(boolean allowed, long nowNs) {
    QuotaPolicy policy = policies[budgets.chosen()];
    long capacity = budgets.limit(budgets.chosen()).capacity();
    long resetAfterNs = Math.max(0, decision.resetAtNs() - nowNs);
    if (allowed) {
      verdict.allow(policy, capacity, decision.remaining(), resetAfterNs);
      long waitNs = decision.waitNs();
      return waitNs >= LEAST_WAIT_NS ? verdict.dueNs(nowNs + waitNs) : verdict;
    }
    long retryAfterNs = Math.max(1, decision.retryAfterNs()); // 0 if others were in the way
    if (budgets.limit(budgets.chosen()).adaptive() != null) {
      return verdict
          .refuse(
              RefusalReason.SERVICE_OVERLOADED,
              policy,
              capacity,
              decision.remaining(),
              resetAfterNs,
              retryAfterNs)
          .ofOthers();
    }
    boolean never = retryAfterNs == Decision.NEVER;
    return verdict.refuse(
        never ? RefusalReason.NEVER_SATISFIABLE : RefusalReason.OVER_LIMIT,
        policy,
        capacity,
        decision.remaining(),
        resetAfterNs,
        never ? 0 : retryAfterNs);
  }

  /**
   * Writes the figures of each budget.
   *
   * @param passed whether the budgets have been charged.
   */
  private void addRows(boolean passed, long nowNs, Verdict to) {
    for (int i = 0; i < budgets.size(); i++) {
      boolean isAllowed = budgets.peek(i, nowNs, decision) || passed;
      long retryAfterNs = isAllowed ? 0 : decision.retryAfterNs();
      to.row(
              rows[i],
              isAllowed,
              policies[i],
              decision.limit(),
              decision.remaining(),
              Math.max(0, decision.resetAtNs() - nowNs),
              retryAfterNs == Decision.NEVER ? 0 : retryAfterNs)
          .held(decision.held());
    }
  }

  @Override
  public boolean keep(long ticket, RefundSlip into) {
    if (ticket != chargedTicket) {
      return false;
    }
    chargedTicket = NOBODY;
    int before = into.count;
    for (int i = 0; i < budgets.size(); i++) {
      if (held[i] == null) {
        into.add(budgets.key(i), budgets.limit(i), budgets.cost(i), chargedAtNs, areOfUsers[i]);
      }
    }
    into.user.set(user);
    return into.count > before;
  }

  @Override
  public void giveBack(RefundSlip charge, long nowNs) {
    for (int i = charge.count - 1; i >= 0; i--) {
      Limit limit = charge.limits[i];
      Limit under = charge.areOfUsers[i] ? charge.user.asCharged(limit, planned) : limit;
      tables.of(limit).refund(charge.keys[i], under, charge.costs[i], charge.atNs[i], nowNs);
    }
  }
}
