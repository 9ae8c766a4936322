package dev.weir.proxy.envoy.call;

import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.admission.Charges;
import dev.weir.proxy.control.LimitHeaders;
import dev.weir.proxy.control.RateLimitAnswers;
import dev.weir.proxy.envoy.file.DescriptorNode;
import dev.weir.proxy.envoy.file.Domain;
import dev.weir.proxy.envoy.file.LimitUnit;
import dev.weir.proxy.envoy.file.NodeLimit;
import dev.weir.proxy.envoy.file.RateLimitConfiguration;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.identity.DescriptorIdentity;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.ArrayDeque;
import java.util.Set;

/**
 * Decides on calls: finds the limit of each descriptor, asks admission about each, and says what
 * came of them. Each descriptor is a question of its own. Where a domain wants all or nothing, what
 * one decision can have is one question, and all else goes back if the call is refused.
 *
 * <p>One per event loop. For calls that this node decides it allocates nothing.
 */
public final class RateLimiter {
  /** Calls of many descriptors whose memory is kept for the next ones. */
  private static final int MAX_LARGE_KEPT = 256;

  private final AdmissionHandler admission;
  private final RateLimitAnswers answers;
  private final RateLimitErrors errors;
  private final LoopClock clock;
  private final long unixEpochNs;
  private final DescriptorMatch match = new DescriptorMatch();
  private final LimitFigures figures;
  private final DescriptorIdentity identity;

  /** Whose budgets are taken together, by their places; made when needed. */
  private final DescriptorIdentity[] together = new DescriptorIdentity[RuleSpec.MAX_BUDGETS];

  private final Identities identities = place -> together[place];
  private final KeyHasher hasher;
  private final Question question = new Question();
  private final Charges charges = new Charges();
  private final ArrayDeque<PendingCall> free = new ArrayDeque<>();
  private RateLimitConfiguration configuration;

  public RateLimiter(
      AdmissionHandler admission,
      KeyHasher hasher,
      LoopMetrics metrics,
      RateLimitErrors errors,
      LoopClock clock,
      long unixEpochNs,
      RateLimitAnswers answers) {
    this.admission = admission;
    this.hasher = hasher;
    this.answers = answers;
    this.errors = errors;
    this.clock = clock;
    this.unixEpochNs = unixEpochNs;
    this.identity = new DescriptorIdentity(hasher);
    this.figures = new LimitFigures(metrics);
  }

  /**
   * Makes what a configuration takes. By one thread at a time, which need not be the event loop's:
   * it takes long where there are many limits.
   *
   * @param before the configuration before it; null if it is the first.
   * @return what the event loop has to run, in the same order: it swaps the configuration, whole.
   *     Calls that have no verdict yet keep theirs.
   */
  public Runnable prepare(RateLimitConfiguration before, RateLimitConfiguration next) {
    Runnable figuresSwap =
        figures.prepare(next, before == null ? Set.of() : next.sameDomains(before));
    return () -> {
      figuresSwap.run();
      configuration = next;
      admission.limitsChanged();
    };
  }

  /**
   * Decides on a call.
   *
   * @param call of which every descriptor that brings a limit along says a unit that there is.
   * @param asker is told a verdict that comes late, with what is said here.
   * @param nowNs when it came.
   * @return what has the verdict, valid until the next call; or is {@linkplain PendingCall#isOpen
   *     open}, until {@code asker} is told.
   */
  PendingCall ask(RateLimitCall call, RateLimitAsker asker, Object whose, long nowNs) {
    Domain domain = configuration.find(call.bytes(), call.domainAt(), call.domainLength());
    PendingCall pending = free.isEmpty() ? new PendingCall(this) : free.pop();
    if (domain == null) {
      errors.ofDomain();
      pending.verdict.start(call.descriptorCount(), LimitHeaders.OFF);
      free.push(pending);
      return pending;
    }
    LimitHeaders headers = domain.options().headers();
    pending.begin(
        call.descriptorCount(),
        domain,
        headers == null ? answers.headers() : headers,
        asker,
        whose);
    boolean isAsked = false;
    try {
      askAll(pending, call, nowNs);
      isAsked = true;
    } finally {
      admission.sendGathered(nowNs);
      if (!isAsked) {
        pending.fail();
        ended(pending);
      }
    }
    if (pending.closed()) {
      try {
        conclude(pending);
      } finally {
        release(pending);
      }
    }
    return pending;
  }

  /**
   * Asks about every descriptor. Where limits replace others, those of all are found first, so that
   * what is replaced is not charged. What this node decides on is asked last, when all that it
   * reads has been fetched.
   */
  private void askAll(PendingCall pending, RateLimitCall call, long nowNs) {
    RateLimitVerdict verdict = pending.verdict;
    boolean replaces = pending.domain().replaces();
    for (int i = 0; replaces && i < call.descriptorCount(); i++) {
      find(pending, call, i);
    }
    if (replaces) {
      verdict.replace();
    }
    for (int i = 0; i < call.descriptorCount(); i++) {
      DescriptorStatus status = verdict.status(i);
      NodeLimit found = replaces ? match(pending, call, i) : find(pending, call, i);
      if (found != null && found.spec().isUnlimited()) {
        status.unlimited();
      } else if (status.unit() != null) {
        charge(pending, call, i, found);
        askOrExpect(pending, call, i, nowNs);
      }
    }
    if (call.descriptorCount() > 1) {
      askExpected(pending, nowNs);
    }
    askTogether(pending, nowNs);
  }

  /** Notes the limit of a descriptor: that which it brings along, else that of its node. */
  private NodeLimit find(PendingCall pending, RateLimitCall call, int descriptor) {
    NodeLimit found = match(pending, call, descriptor);
    DescriptorStatus status = pending.verdict.status(descriptor);
    if (call.hasLimit(descriptor)) {
      status.limit(LimitUnit.ofNumber(call.unit(descriptor)), call.limit(descriptor));
    } else if (found != null) {
      status.limit(found);
    }
    return found;
  }

  /** Finds the way to a descriptor's node; none if it brings its limit along. */
  private NodeLimit match(PendingCall pending, RateLimitCall call, int descriptor) {
    if (call.hasLimit(descriptor)) {
      match.clear();
      return null;
    }
    return match.find(pending.domain(), call, descriptor);
  }

  /** Says what a descriptor is charged. */
  private void charge(PendingCall pending, RateLimitCall call, int descriptor, NodeLimit limit) {
    DescriptorStatus status = pending.verdict.status(descriptor);
    long hits = call.hits(descriptor);
    if (limit == null) {
      Rule counts = configuration.counts(status.unit());
      status.charge(counts, true, hits, figures.ofCall(pending.domain(), call, descriptor));
    } else {
      boolean countsAll = limit.spec().countsAll();
      status.charge(
          limit.charged(),
          countsAll,
          hits,
          figures.of(limit, pending.domain(), call, descriptor, match));
    }
  }

  private void askOrExpect(PendingCall pending, RateLimitCall call, int descriptor, long nowNs) {
    DescriptorStatus status = pending.verdict.status(descriptor);
    boolean isTogether =
        pending.isAllOrNothing()
            && !answers.areQuotas()
            && status.refusesCall()
            && pending.together.add(status);
    DescriptorIdentity whose = isTogether ? together(pending.together.count() - 1) : identity;
    read(call, descriptor, whose);
    status.identity(whose.hash());
    if (isTogether) {
      return; // it is asked with the others
    }
    if (status.isLocal() && call.descriptorCount() > 1) {
      status.expect();
      admission.expect(charges(status, status));
    } else {
      ask(pending, status, whose, nowNs);
    }
  }

  private DescriptorIdentity together(int index) {
    if (together[index] == null) {
      together[index] = new DescriptorIdentity(hasher);
    }
    return together[index];
  }

  /**
   * Reads whose budget a descriptor charges: its domain, keys and values. Where a wildcard's
   * threshold is shared, its pattern stands for the value.
   */
  private void read(RateLimitCall call, int descriptor, DescriptorIdentity into) {
    into.domain(call.bytes(), call.domainAt(), call.domainLength());
    int first = call.firstEntry(descriptor);
    for (int i = 0; i < call.entryCount(descriptor); i++) {
      int entry = first + i;
      into.text(call.bytes(), call.keyAt(entry), call.keyLength(entry));
      DescriptorNode node = i < match.depth() ? match.node(i) : null;
      if (node != null && node.sharesThreshold()) {
        into.shared(node.value());
      } else {
        into.text(call.bytes(), call.valueAt(entry), call.valueLength(entry));
      }
    }
    into.end();
  }

  private void askExpected(PendingCall pending, long nowNs) {
    admission.fetch();
    for (int i = 0; i < pending.verdict.count(); i++) {
      DescriptorStatus status = pending.verdict.status(i);
      if (status.isExpected()) {
        ask(pending, status, status, nowNs);
      }
    }
  }

  /** Asks about a descriptor by itself. */
  private void ask(PendingCall pending, DescriptorStatus status, Identities whose, long nowNs) {
    Verdict verdict = admission.ask(charges(status, whose), status, nowNs).verdict();
    if (verdict == null) {
      pending.opened();
      return;
    }
    long left = verdict.remaining();
    if (verdict.allowed() || !status.countsAll() || !status.isLocal() || left == 0) {
      note(pending, status, verdict);
      return;
    }
    // The count has not as much room: its hits fill it, and it is past any limit.
    question.start(Operation.CHECK, Purpose.DESCRIPTOR).cost(left);
    charges.set(status.charged(), whose, question);
    note(pending, status, admission.ask(charges, status, nowNs).verdict());
    status.refused();
  }

  private Charges charges(DescriptorStatus status, Identities whose) {
    question.start(status.hits() == 0 ? Operation.PEEK : Operation.CHECK, Purpose.DESCRIPTOR);
    if (status.hits() > 1) {
      question.cost(status.hits());
    }
    return charges.set(status.charged(), whose, question.followed());
  }

  /** Asks about what a call takes together: at once, if one decision can have it. */
  private void askTogether(PendingCall pending, long nowNs) {
    TakenTogether members = pending.together;
    if (members.areOneQuestion() && admission.decidesInOne(charges(members))) {
      Verdict verdict = admission.ask(charges, members, nowNs).verdict();
      if (verdict != null) {
        noteTogether(pending, verdict);
      } else {
        pending.opened();
      }
      return;
    }
    for (int i = 0; i < members.count(); i++) {
      ask(pending, members.member(i), together[i], nowNs);
    }
  }

  private Charges charges(TakenTogether members) {
    question.start(Operation.CHECK, Purpose.DESCRIPTOR).followed().wantsRows();
    charges.list(identities, question);
    for (int i = 0; i < members.count(); i++) {
      charges.add(members.member(i).charged(), members.member(i).hits());
    }
    return charges;
  }

  /** A verdict on a descriptor has come late. */
  void decided(PendingCall pending, DescriptorStatus status, Verdict verdict) {
    note(pending, status, verdict);
    ended(pending);
  }

  /** A verdict on what a call takes together has come late. */
  void decidedTogether(PendingCall pending, Verdict verdict) {
    noteTogether(pending, verdict);
    ended(pending);
  }

  private void note(PendingCall pending, DescriptorStatus status, Verdict verdict) {
    if (!isDecided(pending, verdict)) {
      return;
    }
    status.note(verdict);
    if (pending.isAllOrNothing() && verdict.allowed() && !status.countsAll() && status.hits() > 0) {
      status.keep(admission.keep());
    }
  }

  private void noteTogether(PendingCall pending, Verdict verdict) {
    if (!isDecided(pending, verdict)) {
      return;
    }
    if (verdict.allowed()) {
      pending.together.keep(admission.keep());
    }
    pending.together.note(verdict);
  }

  /** Whether limits have decided; else the call has no verdict. */
  private static boolean isDecided(PendingCall pending, Verdict verdict) {
    if (verdict.refusal() == RefusalReason.STORE_UNAVAILABLE) {
      pending.verdict.fail(RateLimitVerdict.Fault.STORE);
    } else if (verdict.refusal() == RefusalReason.TOO_MANY_PARKED) {
      pending.verdict.fail(RateLimitVerdict.Fault.BUSY);
    }
    return verdict.allowed()
        || verdict.refusal() == RefusalReason.OVER_LIMIT
        || verdict.refusal() == RefusalReason.NEVER_SATISFIABLE;
  }

  private void ended(PendingCall pending) {
    if (!pending.closed()) {
      return;
    }
    try {
      conclude(pending);
      pending.tell();
    } finally {
      release(pending);
    }
  }

  /** Says what came of a call that has all its verdicts. */
  private void conclude(PendingCall pending) {
    RateLimitVerdict verdict = pending.verdict;
    boolean isOver = verdict.fault() == null && verdict.isOver(answers.areQuotas());
    if (pending.isAllOrNothing()) {
      settle(pending, isOver || verdict.fault() != null);
    }
    if (verdict.fault() == null) {
      if (isOver && answers.isShadow()) {
        errors.ofShadow();
      }
      verdict.conclude(isOver && !answers.isShadow(), clock.nowNs() - unixEpochNs);
    }
  }

  private void release(PendingCall pending) {
    pending.end();
    if (free.size() < MAX_LARGE_KEPT || !pending.verdict.isLarge()) {
      free.push(pending);
    }
  }

  /** Gives back what a call has taken and may keep only if it passes; or lets it stand. */
  private void settle(PendingCall pending, boolean goesBack) {
    pending.together.settle(admission, goesBack);
    for (int i = pending.verdict.count() - 1; i >= 0; i--) {
      pending.verdict.status(i).settle(admission, goesBack);
    }
  }
}
