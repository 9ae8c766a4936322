package dev.weir.proxy.admission;

import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.WakeUp;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.RuleCounters;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.spec.RuleAction;
import io.netty.channel.EventLoop;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The way of every question through the decision: its rule, its identities, a ticket, its charges,
 * the gate, and one way out. A verdict known at once and one that arrives later both come through
 * {@link #conclude}. The first is returned, the second is told, and never while a question is being
 * asked; one whose client has gone meanwhile finds nobody there. A request that may pass later only
 * is held in its parking place until then, and nothing waits but its client.
 *
 * <p>One per event loop.
 */
public final class AdmissionHandler implements Admission, Gate.Outcome {
  /** Requests of one event loop that may await a verdict at one time. */
  static final int PARKING_PLACES = 16 * 1024;

  private static final long NOBODY = -1;

  private final Gate gate;
  private final IdentityReader identities;
  private final LoopMetrics metrics;
  private final VerdictCounts counts;
  private final LoopClock clock;
  private final ParkedRequests parked;
  private final HeldRequests held;
  private final int maxHeldCount;
  private final WakeUp wakeUp;
  private final RefundSlipPool keptCharges;
  private final Verdict verdict = new Verdict();
  private RuleSet rules = RuleSet.EMPTY;
  private RuleCounters[] counters = {};

  /** Those of checks that programs ask for. */
  private RuleCounters[] askedCounters = {};

  private final Charges charges = new Charges();

  /** Of questions that will be asked in this turn; as many as ever were expected at once. */
  private Prefetch[] expectations = {};

  /** The question that is being asked, while it is: nobody is told anything meanwhile. */
  private long asking = NOBODY;

  private Verdict known;

  /** Whether the rule of the question that was asked last counts messages. */
  private boolean countsMessages;

  /** Whose verdict was concluded last. */
  private long concludedTicket = NOBODY;

  public AdmissionHandler(
      Gate gate,
      IdentityReader identities,
      LoopMetrics metrics,
      LoopClock clock,
      EventLoop eventLoop) {
    this(gate, identities, metrics, clock, eventLoop, PARKING_PLACES);
  }

  AdmissionHandler(
      Gate gate,
      IdentityReader identities,
      LoopMetrics metrics,
      LoopClock clock,
      EventLoop eventLoop,
      int places) {
    this.gate = gate;
    this.identities = identities;
    this.metrics = metrics;
    this.counts = new VerdictCounts(metrics);
    this.clock = clock;
    this.parked = new ParkedRequests(places);
    this.held = new HeldRequests();
    this.keptCharges = new RefundSlipPool(places);
    // Rules that queue must leave places to those whose verdicts come late.
    this.maxHeldCount = (places + 1) / 2;
    this.wakeUp = new WakeUp(eventLoop, clock, this::release);
  }

  /** Swaps the rules, whole; requests that are parked keep theirs. */
  public void publish(RuleSet newRules) {
    RuleCounters[] newCounters = new RuleCounters[newRules.rules().size()];
    RuleCounters[] newAskedCounters = new RuleCounters[newCounters.length];
    metrics.useRules(
        newRules.rules().stream().collect(Collectors.toMap(Rule::id, VerdictCounts::outcomes)));
    for (Rule rule : newRules.rules()) {
      newCounters[rule.index()] = metrics.rule(rule.id());
      newAskedCounters[rule.index()] = metrics.asked(rule.id());
    }
    rules = newRules;
    counters = newCounters;
    askedCounters = newAskedCounters;
    gate.rulesChanged();
  }

  /**
   * Nothing will be asked any more: what is held for requests to come is given back.
   *
   * @return whether all of it is back; else this is to be called again.
   */
  public boolean ending() {
    return gate.ending();
  }

  @Override
  public void expect(Question[] questions, int count) {
    if (expectations.length < count) {
      int known = expectations.length;
      expectations = Arrays.copyOf(expectations, count);
      for (int i = known; i < count; i++) {
        expectations[i] = new Prefetch();
      }
    }
    Question before = null;
    Rule rule = null;
    for (int i = 0; i < count; i++) {
      Question question = questions[i];
      if (question != null) {
        if (before == null || !isOfSameRule(question, before)) {
          rule = rule(question);
        }
        expect(question, rule, expectations[i]);
        before = question;
      }
    }
    gate.fetch();
  }

  /** Whether what finds the rules of two questions is the same, which need not be looked at. */
  private static boolean isOfSameRule(Question one, Question other) {
    return one.request() == other.request() && Objects.equals(one.ruleId(), other.ruleId());
  }

  private void expect(Question question, Rule rule, Prefetch into) {
    if (rule != null
        && rule.action() == RuleAction.LIMIT
        && rule.localGroupCount() == rule.groupCount()
        && !question.isOnce()) {
      RefusalReason fault = identities.read(rule, question);
      into.set(question, rules, rule, fault, identities);
      question.expectation(into);
      if (fault == null) {
        gate.expect(charges.set(rule, into, question));
      }
    }
  }

  private Rule rule(Question question) {
    String ruleId = question.ruleId();
    return ruleId == null ? rules.match(question.request()) : rules.find(ruleId);
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
  public long ask(Question question, VerdictListener asker, long nowNs) {
    assert asking == NOBODY : "a request is asked for within the question of another";
    Prefetch expected =
        question.expectation() instanceof Prefetch found && found.isOf(question, rules)
            ? found
            : null;
    Rule rule = expected == null ? rule(question) : expected.rule();
    countsMessages = rule != null && rule.countsMessages();
    Purpose purpose = question.purpose();
    RuleCounters of = rule == null ? null : counters(purpose)[rule.index()];
    long ticket = parked.next(purpose);
    if (ticket == ParkedRequests.FULL) {
      known = verdict.refuse(RefusalReason.TOO_MANY_PARKED);
      return SETTLED;
    }
    Verdict found = null;
    boolean isAsked = false;
    asking = ticket;
    try {
      found = decide(ticket, rule, question, expected, nowNs);
      isAsked = true;
    } finally {
      asking = NOBODY;
      if (!isAsked) {
        parked.pass(ticket);
      }
    }
    if (found != null && !isHeld(found, rule, purpose)) {
      parked.pass(ticket);
      if ((question.isFollowed() || question.isTimedTogether())
          && (rule == null || !rule.isLeased())) {
        counts.decidedTogether(purpose, nowNs);
      } else {
        counts.decided(purpose, rule, false, clock.tick() - nowNs);
      }
      known = conclude(ticket, rule, of, purpose, found);
      return SETTLED;
    }
    parked.park(ticket, asker, rule, of, purpose, nowNs);
    if (found != null) {
      known = hold(ticket, found);
      return known == null ? ticket : SETTLED;
    }
    return ticket;
  }

  /**
   * Asks about limits that no rule has, which the caller has found: with the verdict as of {@link
   * #ask(Question, VerdictListener, long)}.
   *
   * @param of valid until this call returns.
   */
  public long ask(Charges of, VerdictListener asker, long nowNs) {
    assert asking == NOBODY : "a request is asked for within the question of another";
    long ticket = parked.next(of.purpose());
    if (ticket == ParkedRequests.FULL) {
      known = verdict.refuse(RefusalReason.TOO_MANY_PARKED);
      return SETTLED;
    }
    Verdict found = null;
    boolean isAsked = false;
    asking = ticket;
    try {
      found = gate.ask(ticket, of, nowNs, this);
      isAsked = true;
    } finally {
      asking = NOBODY;
      if (!isAsked) {
        parked.pass(ticket);
      }
    }
    if (found == null) {
      parked.park(ticket, asker, null, null, of.purpose(), nowNs);
      return ticket;
    }
    parked.pass(ticket);
    known = conclude(ticket, null, null, of.purpose(), found);
    return SETTLED;
  }

  /** Whether charges of several keys are decided in one step; see {@link Gate#decidesInOne}. */
  public boolean decidesInOne(Charges of) {
    return gate.decidesInOne(of);
  }

  /** Has it fetched by {@link #fetch} what the decision on charges will read. */
  public void expect(Charges of) {
    gate.expect(of);
  }

  /** Fetches what was expected, all at once. */
  public void fetch() {
    gate.fetch();
  }

  /** Limits that no rule has were replaced: questions that have not been decided keep theirs. */
  public void limitsChanged() {
    gate.rulesChanged();
  }

  private RuleCounters[] counters(Purpose purpose) {
    return switch (purpose) {
      case TRAFFIC, DESCRIPTOR, OPERATOR -> counters;
      case DECISION -> askedCounters;
    };
  }

  /** The verdict; null if the gate will tell it later. */
  private Verdict decide(long ticket, Rule rule, Question question, Prefetch expected, long nowNs) {
    if (rule == null) {
      return verdict.allowUnlimited();
    }
    return switch (rule.action()) {
      case UNLIMITED -> verdict.allowUnlimited();
      case DENY -> verdict.refuse(RefusalReason.DENIED);
      case LIMIT -> {
        if (question.isOnce() && !decidesOnce(rule)) {
          yield verdict.refuse(RefusalReason.NOT_DECIDED_ONCE);
        }
        RefusalReason fault = expected == null ? identities.read(rule, question) : expected.fault();
        Identities whose = expected == null ? identities : expected;
        yield fault != null
            ? verdict.refuse(fault)
            : gate.ask(ticket, charges.set(rule, whose, question), nowNs, this);
      }
    };
  }

  /** Whether the store keeps what it has granted: one record, beside budgets that are all there. */
  private static boolean decidesOnce(Rule rule) {
    return rule.groupCount() == 1 && rule.localGroupCount() == 0;
  }

  @Override
  public Verdict verdict() {
    return known;
  }

  @Override
  public boolean countsMessages() {
    return countsMessages;
  }

  @Override
  public long dueNs(long ticket) {
    return parked.holds(ticket) && held.contains(ticket) ? held.dueNs(ticket) : NOT_HELD;
  }

  @Override
  public void ended(long ticket, RequestEnd end) {
    if (ticket != SETTLED) {
      leave(ticket);
    }
  }

  private void leave(long ticket) {
    if (!parked.holds(ticket)) {
      return;
    }
    int before = held.size();
    held.remove(ticket);
    if (held.size() < before) {
      metrics.released();
    }
    parked.leave(ticket);
  }

  @Override
  public void settle(long ticket, Verdict settled) {
    assert asking == NOBODY : "a verdict is told within the question of another request";
    if (!parked.holds(ticket)) {
      metrics.verdictDropped();
      return;
    }
    VerdictListener asker = parked.asker(ticket);
    Verdict concluded;
    if (isHeld(settled, parked.rule(ticket), parked.purpose(ticket))) {
      concluded = hold(ticket, settled);
    } else {
      countLate(ticket);
      concluded = conclude(ticket, settled);
    }
    if (concluded != null) {
      asker.decided(ticket, concluded);
    }
  }

  /** Counts the verdict on a request that was parked. */
  private void countLate(long ticket) {
    long tookNs = clock.tick() - parked.startNs(ticket);
    counts.decided(parked.purpose(ticket), parked.rule(ticket), true, tookNs);
  }

  @Override
  public boolean awaits(long ticket) {
    return ticket == asking || parked.holds(ticket);
  }

  /** Whether a request is held until its slot: who only asks is told of it, or nobody waits. */
  private static boolean isHeld(Verdict settled, Rule rule, Purpose purpose) {
    return settled.dueNs() != Verdict.AT_ONCE
        && switch (purpose) {
          case TRAFFIC -> !rule.dryRun(); // a rehearsal holds nobody up
          case DECISION, DESCRIPTOR, OPERATOR -> false;
        };
  }

  /** Holds a parked request until it may pass, and returns null; or a refusal if too many are. */
  private Verdict hold(long ticket, Verdict settled) {
    countLate(ticket);
    if (held.size() == maxHeldCount) {
      return conclude(ticket, verdict.refuse(RefusalReason.TOO_MANY_PARKED));
    }
    metrics.held();
    long resetAtNs = clock.nowNs() + settled.resetAfterNs();
    held.add(ticket, settled.dueNs(), settled.remaining(), resetAtNs);
    wakeUp.at(held.firstDueNs());
    return null;
  }

  /** Lets those pass whose slot has come. */
  void release() {
    long nowNs = clock.tick();
    while (held.size() > 0 && held.firstDueNs() <= nowNs) {
      long ticket = held.first();
      try {
        release(ticket, nowNs);
      } catch (RuntimeException | Error bug) {
        InternalErrors.caught("a request that was held", bug);
      }
    }
    if (held.size() > 0) {
      wakeUp.at(held.firstDueNs());
    }
  }

  private void release(long ticket, long nowNs) {
    held.remove(ticket);
    metrics.released();
    long resetAfterNs = Math.max(0, held.resetAtNs(ticket) - nowNs);
    Budget budget = parked.rule(ticket).budgets().get(0); // a queue is alone
    long limit = budget.limit().capacity();
    verdict.allow(budget.policy(), limit, held.remaining(ticket), resetAfterNs);
    verdict.heldNs(nowNs - parked.startNs(ticket));
    VerdictListener asker = parked.asker(ticket);
    asker.decided(ticket, conclude(ticket, verdict));
  }

  /** Gives the place back, and says what its verdict comes to. */
  private Verdict conclude(long ticket, Verdict settled) {
    Rule rule = parked.rule(ticket);
    RuleCounters of = parked.counters(ticket);
    Purpose purpose = parked.purpose(ticket);
    parked.leave(ticket);
    return conclude(ticket, rule, of, purpose, settled);
  }

  /** The one way out of a verdict. */
  private Verdict conclude(
      long ticket, Rule rule, RuleCounters of, Purpose purpose, Verdict settled) {
    concludedTicket = ticket;
    if (rule == null) {
      return settled;
    }
    counts.count(purpose, rule, of, settled);
    boolean isRehearsed = rule.dryRun() && !settled.allowed() && purpose != Purpose.OPERATOR;
    return (isRehearsed ? verdict.allowUnlimited() : settled).ofRule(rule.id(), rule.idUtf8());
  }

  @Override
  public int keep() {
    int kept = keptCharges.take();
    if (kept != NOTHING_KEPT && !gate.keep(concludedTicket, keptCharges.get(kept))) {
      keptCharges.leave(kept);
      return NOTHING_KEPT;
    }
    return kept;
  }

  @Override
  public void giveBack(int kept) {
    refund(kept);
    metrics.chargeGivenBack();
  }

  /** Gives back what was kept, of who counts it. */
  public void refund(int kept) {
    gate.giveBack(keptCharges.get(kept), clock.tick());
    keptCharges.leave(kept);
  }

  @Override
  public void letStand(int kept) {
    keptCharges.leave(kept);
  }
}
