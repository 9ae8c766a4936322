package dev.weir.proxy.admission;

import static dev.weir.proxy.request.Verdict.NOTHING_HELD;

import dev.weir.proxy.admission.ban.Bans;
import dev.weir.proxy.admission.ban.LoopBans;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.RuleCounters;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalAnswer;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.Verdict.State;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.spec.RefusalSpec;
import dev.weir.proxy.rule.spec.RuleAction;
import io.netty.channel.EventLoop;

/**
 * The way of every question through the decision, step by step:
 *
 * <pre>
 * question -> listed?           AddressLists: refused or passed before any rule
 *          -> rule, identities  QuestionRules
 *             -> plan           LoopUsers: the rule under the plan of the user; who is not known
 *                               yet is waited for (AwaitedUsers), and the question asked again
 *          -> banned?           LoopBans: refused before any limit is charged
 *          -> charges           Charges
 *          -> gate              Gate: who decides on charges of their mode
 *          -> queue             RequestQueue, for what may pass later only
 *          -> verdict           conclude: counted by VerdictCounts, and returned or told
 * </pre>
 *
 * <p>A verdict known at once is returned. One that arrives later is told, and never while a
 * question is being asked; a question has a place in {@link ParkedRequests} until then, and one
 * whose client has gone meanwhile finds nobody there. Callers who have limits of their own, as
 * Envoy's descriptors have, ask by {@linkplain #ask(Charges, VerdictListener, long) charges}.
 *
 * <p>One per event loop.
 */
public final class AdmissionHandler implements Admission, Gate.Outcome {
  /**
   * Requests of one event loop that may wait for a verdict at one time; as many descriptors of
   * Envoy's calls may wait beside them.
   */
  static final int PARKING_PLACES = 16 * 1024;

  /**
   * Questions of one event loop that may be late at one time, those of clients that have gone
   * included.
   */
  static final int MAX_LATE = 2 * PARKING_PLACES;

  private static final long NOBODY = -1;

  /** Receives the late verdicts of rehearsals, which are counted and change nothing. */
  private static final VerdictListener NOBODY_LISTENS = (ticket, verdict) -> {};

  private final Gate gate;
  private final AddressLists lists;
  private final QuestionRules rules;
  private final LoopBans bans;
  private final LoopMetrics metrics;
  private final VerdictCounts counts;
  private final LoopClock clock;
  final ParkedRequests parked;
  final RequestQueue queue;
  final AwaitedUsers awaited;
  final RefundSlipPool refundSlips;
  final HoldingPool holdings;
  private final Verdict verdict = new Verdict();
  private final Reserves reserves = new Reserves();
  private final Charges charges = new Charges(reserves);

  private final WarnedKeys warned = new WarnedKeys();

  /** Null if keys are not counted. */
  private TopKeys topKeys;

  /** The keys of the question that is being asked; null if it is not counted for them. */
  private KeySample sampled;

  /** The key of the question that is being asked, under a rule with {@code warn-at}. */
  private long warnedKey;

  /** The name of what the request that is being asked about will hold. */
  private int holding = NOTHING_HELD;

  /** Whether the end of that request will not be told for it. */
  private boolean isEndUnknown;

  /** The number of budgets in that holding which an earlier question about the request holds. */
  private int heldBefore;

  /** The ticket of the question that is being asked; no callback is made meanwhile. */
  private long asking = NOBODY;

  private final Asked asked = new Asked();

  /** The verdict of limits of all requests, while a dry run beside them is rehearsed. */
  private final Verdict passed = new Verdict();

  /** The charge of that verdict, until somebody keeps it or another question is concluded. */
  private int keptAhead = NOTHING_KEPT;

  /** The ticket of the question whose verdict was concluded last. */
  private long concludedTicket = NOBODY;

  /** The name of what that question's request holds. */
  private int concludedHolding = NOTHING_HELD;

  /** Admission without lists of addresses, and with bans of its own. */
  public AdmissionHandler(
      Gate gate,
      IdentityReader identities,
      LoopMetrics metrics,
      LoopClock clock,
      EventLoop eventLoop) {
    this(
        gate, new AddressLists(), new Bans(""), new Users(), identities, metrics, clock, eventLoop);
  }

  /**
   * @param lists of all event loops, and so are {@code bans} and {@code users}.
   */
  public AdmissionHandler(
      Gate gate,
      AddressLists lists,
      Bans bans,
      Users users,
      IdentityReader identities,
      LoopMetrics metrics,
      LoopClock clock,
      EventLoop eventLoop) {
    this(gate, lists, bans, users, identities, metrics, clock, eventLoop, PARKING_PLACES);
  }

  AdmissionHandler(
      Gate gate,
      IdentityReader identities,
      LoopMetrics metrics,
      LoopClock clock,
      EventLoop eventLoop,
      int places) {
    this(
        gate,
        new AddressLists(),
        new Bans(""),
        new Users(),
        identities,
        metrics,
        clock,
        eventLoop,
        places);
  }

  private AdmissionHandler(
      Gate gate,
      AddressLists lists,
      Bans bans,
      Users users,
      IdentityReader identities,
      LoopMetrics metrics,
      LoopClock clock,
      EventLoop eventLoop,
      int places) {
    this.gate = gate;
    this.lists = lists;
    this.bans = new LoopBans(bans);
    this.rules = new QuestionRules(identities, users, false, clock::nowNs);
    this.metrics = metrics;
    this.counts = new VerdictCounts(metrics);
    this.clock = clock;
    this.parked = new ParkedRequests(places);
    this.queue = new RequestQueue((places + 1) / 2, metrics, clock, eventLoop, this::released);
    this.awaited = new AwaitedUsers(eventLoop, clock, this::askAgain);
    this.rules.waitFor(awaited);
    this.refundSlips = new RefundSlipPool(places);
    this.holdings = new HoldingPool(Math.min(places, HoldingPool.MAX_COUNT));
  }

  /** Counts for which keys questions are asked and refused, from before the first question. */
  public void count(TopKeys into) {
    topKeys = into;
  }

  /** Replaces all rules. Parked requests keep the rules that they were matched with. */
  public void publish(RuleSet newRules) {
    bans.use(newRules);
    counts.use(newRules);
    rules.use(newRules);
    reserves.use(newRules);
    gate.rulesChanged();
  }

  /** Forgets all bans, before other rules are published that have nothing to do with the last. */
  void forgetBans() {
    bans.forget();
  }

  /**
   * Returns what is kept for later requests, as no question will be asked any more.
   *
   * @return whether all of it has been returned; if not, call this again.
   */
  public boolean ending() {
    return gate.ending();
  }

  @Override
  public void prefetch(Question[] questions, int count) {
    rules.lookAhead(questions, count, gate);
  }

  @Override
  public void endTogether() {
    counts.endTogether(clock);
  }

  @Override
  public void sendGathered(long nowNs) {
    counts.endTogether(clock);
    gate.sendGathered(nowNs);
  }

  @Override
  public Asked ask(Question question, VerdictListener listener, long nowNs) {
    Verdict byList = lists.areEmpty() ? null : byList(question);
    if (byList != null) {
      boolean isTogether = question.isFollowed() || question.isTimedTogether();
      return ask(byList, charges, null, question.purpose(), isTogether, listener, nowNs);
    }
    Prefetch ahead = rules.ahead(question);
    if (ahead != null) {
      return ask(ahead.rule(), question, ahead, listener, nowNs);
    }
    Rule rule = rules.find(question);
    if (rules.isUserAwaited() && rule != null) {
      Asked waits = awaitUser(rule, question, listener, nowNs);
      return waits == null ? ask(rules.findKnown(question), question, listener, nowNs) : waits;
    }
    return ask(rule, question, listener, nowNs);
  }

  /** Parks a question until its user is known, but not for long; null if there is no room. */
  private Asked awaitUser(Rule rule, Question question, VerdictListener listener, long nowNs) {
    long ticket = awaited.hasRoom(question) ? parked.next(question.purpose()) : ParkedRequests.FULL;
    if (ticket == ParkedRequests.FULL) {
      return null;
    }
    rules.await(ticket, question, awaited);
    parked.park(ticket, listener, null, null, question.purpose(), nowNs);
    parked.holding(ticket, NOTHING_HELD);
    return asked.awaited(ticket).countsMessages(rule.countsMessages());
  }

  /** Asks again about a question that has waited for its user, as if it had come just now. */
  private void askAgain(long ticket, Question question) {
    VerdictListener listener = parked.listener(ticket);
    long arrivedNs = parked.startNs(ticket);
    parked.reopen(ticket);
    Asked again;
    try {
      again = ask(rules.findKnown(question), question, listener, arrivedNs);
    } catch (RuntimeException | Error bug) {
      end(ticket, question.purpose());
      listener.decided(ticket, verdict.refuse(RefusalReason.STORE_UNAVAILABLE));
      throw bug;
    }
    if (again.verdict() != null) {
      listener.decided(ticket, again.verdict());
    }
  }

  /** Ends a ticket whose question has failed, wherever that was. */
  private void end(long ticket, Purpose purpose) {
    left(ticket);
    releaseAsked();
    if (parked.next(purpose) == ticket) {
      parked.pass(ticket);
    }
  }

  private Asked ask(Rule rule, Question question, VerdictListener listener, long nowNs) {
    if (rule != null && rule.mayBePartlyRehearsed() && question.operation() == Operation.CHECK) {
      if (rule.isEnforcedInPart()) {
        rules.read(rule, question);
      }
      Rule known = rules.toward(rule);
      if (known.isPartlyRehearsed()) {
        return askAndRehearse(known, question, listener, nowNs);
      }
    }
    return ask(rule, question, null, listener, nowNs);
  }

  /**
   * Asks about the limits of all requests, and rehearses a dry run unless they refuse at once. If
   * their verdict is late, the dry run is rehearsed nevertheless, as the question ends with this
   * call.
   */
  private Asked askAndRehearse(
      Rule dryRun, Question question, VerdictListener listener, long nowNs) {
    Asked first = ask(dryRun.everywhereAlone(), question, null, listener, nowNs);
    boolean isKnown = first.verdict() != null;
    if (isKnown && !first.verdict().allowed()) {
      return first;
    }
    long ticket = first.ticket();
    boolean countsMessages = first.countsMessages();
    long concluded = concludedTicket;
    int kept = NOTHING_KEPT;
    if (isKnown) {
      passed.set(first.verdict());
      kept = question.purpose() == Purpose.TRAFFIC ? keep() : NOTHING_KEPT;
    }
    rehearse(dryRun, isKnown, question, nowNs);
    concludedTicket = concluded;
    keptAhead = kept;
    return (isKnown ? asked.settled(passed) : asked.awaited(ticket)).countsMessages(countsMessages);
  }

  /**
   * Asks about the limits of a dry run, for the figures. What they hold is told with the verdict
   * that is known; if none is, they are charged at once what they would hold.
   */
  private void rehearse(Rule dryRun, boolean isKnown, Question question, long nowNs) {
    int before = isKnown ? passed.holding() : NOTHING_HELD;
    holding = before;
    heldBefore = before == NOTHING_HELD ? 0 : holdings.get(before).count();
    isEndUnknown = !isKnown;
    Rule own = dryRun.without(dryRun.everywhereGroups());
    own = isEndUnknown ? own.withoutSlots() : own;
    Asked rehearsed = ask(own, question, null, NOBODY_LISTENS, nowNs);
    isEndUnknown = false;
    int name = before;
    if (rehearsed.verdict() == null) {
      name = parked.holding(rehearsed.ticket());
      parked.holding(rehearsed.ticket(), NOTHING_HELD);
    } else if (rehearsed.verdict().holding() != NOTHING_HELD) {
      name = rehearsed.verdict().holding();
    }
    if (name != NOTHING_HELD) {
      passed.holds(name, dryRun.reportedCosts());
    }
  }

  private Asked ask(
      Rule rule, Question question, Prefetch ahead, VerdictListener listener, long nowNs) {
    boolean isTimedTogether =
        (question.isFollowed() || question.isTimedTogether()) && (rule == null || !rule.isLeased());
    Verdict found = withoutCharges(rule, question, ahead);
    if (topKeys != null && found == null && topKeys.isNext()) {
      sampled = sample(rule, question, ahead, nowNs);
    }
    Rule decisive = ahead == null && rule != null ? rules.toward(rule) : rule;
    if (found == null && decisive.bans() != null) {
      found = bans.ask(decisive.bans(), rules.identities(), question.operation(), nowNs);
    }
    if (found == null) {
      charges.set(rule, ahead == null ? rules.identities() : ahead, question);
      charges.user(ahead == null ? rules.user() : ahead.user());
      if (rule.hasCostsOfRequests() && charges.costFault() != null) {
        metrics.costHeaderMisread(charges.costFault());
      }
    }
    if (found == null && rule.holds() && hasEnd(question) && !takeHolding()) {
      found = verdict.refuse(RefusalReason.TOO_MANY_IN_FLIGHT);
    }
    if (found == null && rule.warnAtPermille() > 0) {
      warnedKey = WarnedKeys.key(rule, charges);
    }
    Asked result =
        ask(found, charges, decisive, question.purpose(), isTimedTogether, listener, nowNs);
    if (rule != null && rule.refusal() != null) {
      choose(rule.refusal(), question, result);
    }
    return result.countsMessages(rule != null && rule.countsMessages());
  }

  /** Counts a question for its keys; null if it is not a check that decides. */
  private KeySample sample(Rule rule, Question question, Prefetch ahead, long nowNs) {
    boolean isCounted =
        question.operation() == Operation.CHECK && question.purpose() != Purpose.OPERATOR;
    // Of what was found ahead only hashes are known.
    boolean isRead = isCounted && (ahead == null || rules.read(rule, question) == null);
    return topKeys.ask(rule, isRead ? rules.identities() : null, nowNs);
  }

  /** The rule of a question, under the plan of its user; null if there is none. */
  public Rule rule(Question question) {
    return rules.find(question);
  }

  /** How much longer the identities of a question are banned under its rule; 0 if they are not. */
  public long bannedForNs(Question question, long nowNs) {
    Rule rule = rules.find(question);
    if (rule == null || rule.bans() == null || rules.read(rule, question) != null) {
      return 0;
    }
    Verdict banned = bans.ask(rule.bans(), rules.identities(), Operation.CHECK, nowNs);
    return banned == null ? 0 : banned.retryAfterNs();
  }

  /**
   * Bans the identities of a question under its rule, until a time at least.
   *
   * @param forNs how long; 0 ends their bans.
   * @return whether the rule can ban any of them.
   */
  public boolean ban(Question question, long forNs, long nowNs) {
    Rule rule = rules.find(question);
    return rule != null
        && rule.bans() != null
        && rules.read(rule, question) == null
        && bans.set(rule.bans(), rules.identities(), forNs, nowNs);
  }

  /** Whether the end of what is asked about will be told. */
  private boolean hasEnd(Question question) {
    return question.purpose() == Purpose.TRAFFIC
        && !isEndUnknown
        && question.operation() == Operation.CHECK
        && !question.isMessage();
  }

  /** Gives the charges a holding, which keeps their units until the end; false if none is free. */
  private boolean takeHolding() {
    if (holding == NOTHING_HELD) {
      holding = holdings.take();
      heldBefore = 0;
      if (holding == NOTHING_HELD) {
        return false;
      }
      metrics.holdingBegun();
    }
    charges.holding(holdings.get(holding));
    return true;
  }

  /** Chooses the rule's own answer while the head of the request is there to choose by. */
  private void choose(RefusalSpec from, Question question, Asked result) {
    Verdict known = result.verdict();
    if (known == null) {
      parked.answer(result.ticket(), from.choose(question.request()));
    } else if (!known.allowed()) {
      known.answeredBy(from.choose(question.request()));
    }
  }

  /** The verdict of a list; null if none decides, as on an operator's question. */
  private Verdict byList(Question question) {
    AddressLists.Listed listed =
        question.purpose() == Purpose.OPERATOR
            ? AddressLists.Listed.NEITHER
            : rules.find(lists, question);
    return switch (listed) {
      case NEITHER -> null;
      case ALLOWED -> {
        metrics.listed(false);
        yield verdict.allowUnlimited();
      }
      case BLOCKED -> {
        metrics.listed(true);
        yield verdict.refuse(RefusalReason.ADDRESS_BLOCKED);
      }
    };
  }

  /**
   * Asks about limits that the caller has found itself, outside the rules, as {@link #ask(Question,
   * VerdictListener, long)} does.
   *
   * @param of valid until this call returns.
   */
  public Asked ask(Charges of, VerdictListener listener, long nowNs) {
    return ask(null, of, null, of.purpose(), true, listener, nowNs);
  }

  /** The verdict on a question that no limit applies to; null if one does. */
  private Verdict withoutCharges(Rule rule, Question question, Prefetch ahead) {
    if (rule == null || rule.passesAll()) {
      return verdict.allowUnlimited();
    }
    if (rule.action() == RuleAction.DENY) {
      return verdict.refuse(RefusalReason.DENIED);
    }
    RefusalReason fault = ahead == null ? rules.read(rule, question) : ahead.fault();
    if (fault == null) {
      fault = onceFault(rule, question);
    }
    return fault == null ? null : verdict.refuse(fault);
  }

  /** Why a question cannot be decided once, as its idempotency key asks for; null if it can. */
  static RefusalReason onceFault(Rule rule, Question question) {
    if (rule.isIdempotent() && !IdempotencyField.read(question)) {
      return RefusalReason.IDEMPOTENCY_KEY_MALFORMED;
    }
    return question.isOnce() && !decidesOnce(rule) ? RefusalReason.NOT_DECIDED_ONCE : null;
  }

  /**
   * Whether the store can keep a record of what it has granted (idempotency): that takes limits of
   * mode exact with one key, of which requests hold no units.
   */
  private static boolean decidesOnce(Rule rule) {
    return rule.groupCount() == 1 && rule.localGroupCount() == 0 && !rule.holds();
  }

  /**
   * Has charges decided, and parks the question if its verdict comes late.
   *
   * @param withoutCharges the verdict, if no limit applies; null if the gate decides.
   * @param rule null if none applies.
   */
  private Asked ask(
      Verdict withoutCharges,
      Charges of,
      Rule rule,
      Purpose purpose,
      boolean isTimedTogether,
      VerdictListener listener,
      long nowNs) {
    assert asking == NOBODY : "a request is asked for within the question of another";
    long ticket = parked.next(purpose);
    if (ticket == ParkedRequests.FULL) {
      releaseAsked();
      return asked.settled(verdict.refuse(RefusalReason.TOO_MANY_PARKED));
    }
    Verdict found = withoutCharges == null ? askGate(ticket, of, nowNs) : withoutCharges;
    RuleCounters counters = counts.of(purpose, rule);
    if (found != null && !isHeld(found, rule, purpose)) {
      parked.pass(ticket);
      if (isTimedTogether) {
        counts.decidedTogether(purpose, nowNs);
      } else {
        counts.decided(purpose, rule, false, clock.tick() - nowNs);
      }
      return asked.settled(conclude(ticket, rule, counters, purpose, warnedKey, found, nowNs));
    }
    parked.park(ticket, listener, rule, counters, purpose, nowNs);
    parked.holding(ticket, holding);
    holding = NOTHING_HELD;
    parked.sample(ticket, sampled == null ? null : topKeys.keep(sampled));
    sampled = null;
    parked.warnedKey(ticket, warnedKey);
    if (rule != null && rule.bans() != null) {
      bans.keep((int) ticket);
    }
    Verdict tooMany = found == null ? null : hold(ticket, found);
    return tooMany == null ? asked.awaited(ticket) : asked.settled(tooMany);
  }

  /** The gate's verdict; null if it comes late. */
  private Verdict askGate(long ticket, Charges of, long nowNs) {
    boolean isAsked = false;
    asking = ticket;
    try {
      Verdict found = gate.ask(ticket, of, nowNs, this);
      isAsked = true;
      return found;
    } finally {
      asking = NOBODY;
      if (!isAsked) {
        parked.pass(ticket);
        releaseAsked();
      }
    }
  }

  /** Releases what the request that is being asked about holds, and counts no verdict on it. */
  private void releaseAsked() {
    drop(sampled);
    sampled = null;
    int name = holding;
    holding = NOTHING_HELD;
    release(name, heldBefore);
  }

  private void drop(KeySample of) {
    if (of != null) {
      topKeys.drop(of);
    }
  }

  /** Whether charges of several keys are decided in one step: {@link Gate#decidesInOne}. */
  public boolean decidesInOne(Charges of) {
    return gate.decidesInOne(of);
  }

  /** Marks the memory that a decision on limits of no rule set will read, for {@link #fetch}. */
  public void prefetch(Rule limits, Identities of) {
    gate.prefetch(limits, of);
  }

  /** Prefetches all marked memory at once. */
  public void fetch() {
    gate.fetch();
  }

  /** The limits of callers that ask by charges were replaced: undecided questions keep theirs. */
  public void limitsChanged() {
    gate.rulesChanged();
  }

  @Override
  public long dueNs(long ticket) {
    return parked.holds(ticket) ? queue.dueNs(ticket) : NOT_HELD;
  }

  @Override
  public void ended(long ticket, RequestEnd end) {
    left(ticket);
    if (end.holding() != NOTHING_HELD) {
      settle(end);
    }
  }

  /** A request has ended; if it awaits its verdict, it does so no longer. */
  void left(long ticket) {
    if (ticket != SETTLED && parked.holds(ticket)) {
      queue.leave(ticket);
      awaited.leave(ticket);
      release(parked.holding(ticket), 0);
      drop(parked.sample(ticket));
      parked.leave(ticket);
    }
  }

  /** Charges what a request cost, and releases what it held. */
  void settle(RequestEnd end) {
    Holding held = holdings.get(end.holding());
    if (held == null) {
      metrics.holdingUnknown();
      return;
    }
    held.end(end, reserves);
    metrics.costsMissing(held.missingCount());
    metrics.uncollected(gate.settle(held, 0, clock.nowNs()));
    leaveHolding(end.holding());
  }

  private void leaveHolding(int name) {
    holdings.leave(name);
    metrics.holdingEnded();
  }

  /**
   * Releases what a request holds that does not go on to the service.
   *
   * @param name that of nothing, too, and of what has been released.
   * @param from the first budget to release: those before it stay held.
   */
  void release(int name, int from) {
    Holding held = name == NOTHING_HELD ? null : holdings.get(name);
    if (held != null) {
      gate.settle(held, from, clock.nowNs());
      if (held.count() == 0) {
        leaveHolding(name);
      }
    }
  }

  @Override
  public void settle(long ticket, Verdict settled) {
    assert asking == NOBODY : "a verdict is told within the question of another request";
    if (!parked.holds(ticket)) {
      metrics.verdictDropped();
      return;
    }
    VerdictListener listener = parked.listener(ticket);
    Verdict concluded;
    if (isHeld(settled, parked.rule(ticket), parked.purpose(ticket))) {
      concluded = hold(ticket, settled);
    } else {
      countLate(ticket);
      concluded = conclude(ticket, settled);
    }
    if (concluded != null) {
      listener.decided(ticket, concluded);
    }
  }

  /** Counts the verdict on a parked request. */
  private void countLate(long ticket) {
    long tookNs = clock.tick() - parked.startNs(ticket);
    counts.decided(parked.purpose(ticket), parked.rule(ticket), true, tookNs);
  }

  @Override
  public boolean awaits(long ticket) {
    return ticket == asking || parked.holds(ticket);
  }

  /**
   * Whether a request is held until its slot in a queue; a check of the decision API is not, as no
   * client waits here.
   */
  private static boolean isHeld(Verdict settled, Rule rule, Purpose purpose) {
    return settled.dueNs() != Verdict.AT_ONCE
        && switch (purpose) {
          case TRAFFIC -> !rule.dryRun(); // a rehearsal holds nobody up
          case DECISION, DESCRIPTOR, OPERATOR -> false;
        };
  }

  /** Holds a parked request until its slot, and returns null; or a refusal if the queue is full. */
  private Verdict hold(long ticket, Verdict settled) {
    countLate(ticket);
    if (queue.isFull()) {
      return conclude(ticket, verdict.refuse(RefusalReason.TOO_MANY_PARKED));
    }
    queue.hold(ticket, settled);
    return null;
  }

  /** The slot of a held request has come. */
  private void released(long ticket, long remaining, long resetAfterNs, long nowNs) {
    Budget budget = parked.rule(ticket).group(0).budget(0); // a queue is alone
    verdict.allow(budget.policy(), budget.limit().capacity(), remaining, resetAfterNs);
    verdict.heldNs(nowNs - parked.startNs(ticket));
    VerdictListener listener = parked.listener(ticket);
    listener.decided(ticket, conclude(ticket, verdict));
  }

  /** Frees the parking place, and makes the verdict final. */
  private Verdict conclude(long ticket, Verdict settled) {
    Rule rule = parked.rule(ticket);
    RuleCounters of = parked.counters(ticket);
    Purpose purpose = parked.purpose(ticket);
    long key = parked.warnedKey(ticket);
    RefusalAnswer own = parked.answer(ticket);
    holding = parked.holding(ticket);
    heldBefore = 0;
    sampled = parked.sample(ticket);
    parked.leave(ticket);
    if (rule != null && rule.bans() != null) {
      bans.goOn((int) ticket);
    }
    return conclude(ticket, rule, of, purpose, key, settled, clock.nowNs()).answeredBy(own);
  }

  /** Makes a verdict final: every verdict leaves through here. */
  private Verdict conclude(
      long ticket,
      Rule rule,
      RuleCounters of,
      Purpose purpose,
      long key,
      Verdict decided,
      long nowNs) {
    concludedTicket = ticket;
    concludedHolding = NOTHING_HELD;
    int name = holding;
    holding = NOTHING_HELD;
    if (sampled != null) {
      topKeys.decided(sampled, decided, nowNs);
      sampled = null;
    }
    if (keptAhead != NOTHING_KEPT) {
      letStand(keptAhead);
      keptAhead = NOTHING_KEPT;
    }
    if (rule == null) {
      return decided;
    }
    counts.count(purpose, rule, of, decided);
    Verdict settled = rule.bans() == null ? decided : bans.decided(rule.bans(), decided, nowNs);
    if (rule.warnAtPermille() > 0 && settled.policy() != null && purpose != Purpose.OPERATOR) {
      boolean isBanned = settled.refusal() == RefusalReason.BANNED; // and has no key
      settled.tells(isBanned ? State.THROTTLED : warned.state(key, rule.warnAtPermille(), settled));
    }
    boolean isRehearsed = rule.dryRun() && !settled.allowed() && purpose != Purpose.OPERATOR;
    if (name != NOTHING_HELD) {
      if (settled.allowed() && holdings.get(name).count() > 0) {
        settled.holds(name, rule.reportedCosts());
        concludedHolding = name;
      } else {
        release(name, heldBefore);
      }
    }
    return (isRehearsed ? verdict.allowUnlimited() : settled).ofRule(rule.id(), rule.idUtf8());
  }

  @Override
  public int keep() {
    if (keptAhead != NOTHING_KEPT) {
      int ahead = keptAhead;
      keptAhead = NOTHING_KEPT;
      return ahead;
    }
    int kept = refundSlips.take();
    if (kept == NOTHING_KEPT) {
      return NOTHING_KEPT;
    }
    RefundSlip slip = refundSlips.get(kept);
    Holding held = concludedHolding == NOTHING_HELD ? null : holdings.get(concludedHolding);
    if (held != null && held.hasKnownCosts()) {
      slip.holding = concludedHolding;
    }
    if (!gate.keep(concludedTicket, slip) && slip.holding == NOTHING_HELD) {
      refundSlips.leave(kept);
      return NOTHING_KEPT;
    }
    return kept;
  }

  @Override
  public void giveBack(int kept) {
    refund(kept);
    metrics.chargeGivenBack();
  }

  /** Returns a charge that was kept by its index. */
  public void refund(int kept) {
    RefundSlip slip = refundSlips.get(kept);
    Holding held = slip.holding == NOTHING_HELD ? null : holdings.get(slip.holding);
    if (held != null) {
      held.giveBackKnownCosts();
    }
    gate.giveBack(slip, clock.tick());
    refundSlips.leave(kept);
  }

  @Override
  public void letStand(int kept) {
    refundSlips.leave(kept);
  }
}
