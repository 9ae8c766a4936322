package dev.weir.proxy.admission;

import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.WakeUp;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.RuleCounters;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asker;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.IdentityReader;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleAction;
import dev.weir.proxy.rule.RuleSet;
import io.netty.channel.EventLoop;

/**
 * The way of every request through the decision: its rule, its identity, a ticket, the gate, and
 * one way out. A verdict known at once and one that arrives later both come through {@link
 * #settle}; so does one whose client has gone meanwhile, and it finds nobody there. The first is
 * returned, the second is told, and never while a request is being asked for. A request that may
 * pass later only is held in its parking place until then, and nothing waits but its client.
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
  private final LoopClock clock;
  private final ParkedRequests parked;
  private final HeldRequests held;
  private final int maxHeldCount;
  private final WakeUp wakeUp;
  private final KeptCharges charges;
  private final Verdict verdict = new Verdict();
  private RuleSet rules = RuleSet.EMPTY;
  private RuleCounters[] counters = {};

  /** The request that is being asked for, while it is. */
  private long asking = NOBODY;

  private Verdict known;

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
    this.clock = clock;
    this.parked = new ParkedRequests(places);
    this.held = new HeldRequests(places);
    this.charges = new KeptCharges(places);
    // Every request needs a place for a moment: rules that queue must leave some to all others.
    this.maxHeldCount = (places + 1) / 2;
    this.wakeUp = new WakeUp(eventLoop, clock, this::release);
  }

  /** Swaps the rules, whole; requests that are parked keep theirs. */
  public void publish(RuleSet newRules) {
    RuleCounters[] newCounters = new RuleCounters[newRules.rules().size()];
    for (Rule rule : newRules.rules()) {
      newCounters[rule.index()] = metrics.rule(rule.id());
    }
    rules = newRules;
    counters = newCounters;
  }

  @Override
  public long ask(Question question, Asker asker, long nowNs) {
    assert asking == NOBODY : "a request is asked for within the question of another";
    RequestView request = question.request();
    Rule rule = rules.match(request);
    RuleCounters of = rule == null ? null : counters[rule.index()];
    long ticket = parked.park(asker, rule, of, nowNs);
    if (ticket == ParkedRequests.FULL) {
      known = verdict.refuse(RefusalReason.TOO_MANY_PARKED);
      return SETTLED;
    }
    boolean asked = false;
    asking = ticket;
    try {
      ask(ticket, rule, request, nowNs);
      asked = true;
    } finally {
      asking = NOBODY;
      if (!asked) {
        leave(ticket);
      }
    }
    return parked.holds(ticket) ? ticket : SETTLED;
  }

  private void ask(long ticket, Rule rule, RequestView request, long nowNs) {
    if (rule == null || rule.action() == RuleAction.UNLIMITED) {
      settle(ticket, verdict.allowUnlimited());
    } else if (rule.action() == RuleAction.DENY) {
      settle(ticket, verdict.refuse(RefusalReason.DENIED));
    } else {
      RefusalReason fault = identities.read(rule, request);
      if (fault != null) {
        settle(ticket, verdict.refuse(fault));
      } else {
        gate.ask(ticket, rule, identities, nowNs, this);
      }
    }
  }

  @Override
  public Verdict verdict() {
    return known;
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
    if (!parked.holds(ticket)) {
      metrics.verdictDropped();
      return;
    }
    metrics.decided(clock.tick() - parked.startNs(ticket));
    conclude(ticket, settled);
  }

  @Override
  public boolean awaits(long ticket) {
    return parked.holds(ticket);
  }

  @Override
  public void hold(long ticket, Verdict granted, long dueNs) {
    if (!parked.holds(ticket) || parked.rule(ticket).dryRun()) {
      settle(ticket, granted); // a rehearsal holds nobody up
      return;
    }
    if (held.size() == maxHeldCount) {
      settle(ticket, verdict.refuse(RefusalReason.TOO_MANY_PARKED));
      return;
    }
    metrics.decided(clock.tick() - parked.startNs(ticket));
    metrics.held();
    long resetAtNs = clock.nowNs() + granted.resetAfterNs();
    held.add(ticket, dueNs, granted.remaining(), resetAtNs);
    wakeUp.at(held.firstDueNs());
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
    conclude(ticket, verdict.heldNs(nowNs - parked.startNs(ticket)));
  }

  /** The one way out: gives the place back, and returns the verdict or tells it. */
  private void conclude(long ticket, Verdict settled) {
    Asker asker = parked.asker(ticket);
    Rule rule = parked.rule(ticket);
    RuleCounters of = parked.counters(ticket);
    parked.leave(ticket);
    concludedTicket = ticket;
    Verdict concluded = settled;
    if (rule != null) {
      count(rule, of, settled);
      if (rule.dryRun() && !settled.allowed()) {
        concluded = verdict.allowUnlimited();
      }
      concluded.ofRule(rule.id());
    }
    if (ticket == asking) {
      known = concluded;
      return;
    }
    assert asking == NOBODY : "a verdict is told within the question of another request";
    asker.decided(ticket, concluded);
  }

  @Override
  public int keep() {
    int kept = charges.take();
    if (kept != NOTHING_KEPT && !gate.keep(concludedTicket, charges.get(kept))) {
      charges.leave(kept);
      return NOTHING_KEPT;
    }
    return kept;
  }

  @Override
  public void giveBack(int kept) {
    gate.giveBack(charges.get(kept), clock.tick());
    charges.leave(kept);
    metrics.chargeGivenBack();
  }

  @Override
  public void letStand(int kept) {
    charges.leave(kept);
  }

  private static void count(Rule rule, RuleCounters of, Verdict settled) {
    if (rule.action() == RuleAction.UNLIMITED) {
      of.unlimited();
    } else if (settled.allowed()) {
      of.allowed();
    } else if (rule.dryRun()) {
      of.dryRunRefused();
    } else {
      switch (settled.refusal()) {
        case DENIED -> of.denied();
        case IDENTITY_MISSING, IDENTITY_AMBIGUOUS -> of.identityRefused();
        default -> of.refused();
      }
    }
  }
}
