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
import dev.weir.proxy.loop.FreeList;
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
import java.util.Set;

/**
 * Decides on calls: finds the limit of each descriptor, asks admission about each, and writes their
 * statuses. Each descriptor is a question of its own. In a domain with {@code all-or-nothing} the
 * descriptors that one decision can have are one question, and all other charges are returned if
 * the call is refused.
 *
 * <p>One per event loop. Allocates nothing for calls that this node decides.
 */
public final class RateLimiter {
  /**
   * Verdicts that are kept for later calls: as many as there are kept calls of gRPC to wait for
   * them. More calls may wait at once, but each of those is a new object itself.
   */
  private static final int MAX_KEPT = 1_000;

  /** Large verdicts that are kept beside them: one has some 20 KiB. */
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
  private final FreeList<RateLimitVerdict> free =
      new FreeList<>(MAX_KEPT, () -> new RateLimitVerdict(this));
  private final FreeList<RateLimitVerdict> freeLarge =
      new FreeList<>(MAX_LARGE_KEPT, () -> new RateLimitVerdict(this));
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
   * Makes what a configuration needs. Called by one thread at a time, not necessarily the event
   * loop, as it takes long with many limits.
   *
   * @param before the configuration before it; null if it is the first.
   * @return the task that the event loop has to run, in the same order, to replace the
   *     configuration. Undecided calls keep theirs.
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
   * @param call each of its own limits has a valid unit.
   * @param asker receives a late verdict.
   * @param whose object to give to it.
   * @param nowNs when the call arrived.
   * @return the verdict, valid until the next call; or one that is {@linkplain
   *     RateLimitVerdict#isOpen open}, until {@code asker} gets it.
   */
  RateLimitVerdict ask(RateLimitCall call, RateLimitAsker asker, Object whose, long nowNs) {
    Domain domain = configuration.find(call.bytes(), call.domainAt(), call.domainLength());
    boolean isLarge = call.descriptorCount() > RateLimitVerdict.AT_FIRST;
    RateLimitVerdict verdict = isLarge ? freeLarge.take() : free.take();
    if (domain == null) {
      errors.ofDomain.increment();
      verdict.start(call.descriptorCount(), LimitHeaders.OFF);
      give(verdict);
      return verdict;
    }
    LimitHeaders headers = domain.options().headers();
    verdict.start(call.descriptorCount(), headers == null ? answers.headers() : headers);
    verdict.begin(domain, asker, whose);
    boolean isAsked = false;
    try {
      askAll(verdict, call, nowNs);
      isAsked = true;
    } finally {
      admission.sendGathered(nowNs);
      if (!isAsked) {
        // Nobody is told, and what it has taken goes back if it may.
        verdict.leave();
        verdict.fail(RateLimitVerdict.Fault.STORE);
        ended(verdict);
      }
    }
    if (verdict.closed()) {
      try {
        conclude(verdict);
      } finally {
        release(verdict);
      }
    }
    return verdict;
  }

  /**
   * Asks about every descriptor. If limits replace others, those of all descriptors are found
   * first, so that replaced ones are not charged. Descriptors that this node decides on come last,
   * when their memory has been prefetched.
   */
  private void askAll(RateLimitVerdict verdict, RateLimitCall call, long nowNs) {
    boolean replaces = verdict.domain().replaces();
    for (int i = 0; replaces && i < call.descriptorCount(); i++) {
      find(verdict, call, i);
    }
    if (replaces) {
      verdict.replace();
    }
    for (int i = 0; i < call.descriptorCount(); i++) {
      DescriptorStatus status = verdict.status(i);
      NodeLimit found = replaces ? match(verdict, call, i) : find(verdict, call, i);
      if (found != null && found.spec().isUnlimited()) {
        status.unlimited();
      } else if (status.unit() != null) {
        charge(verdict, call, i, found);
        askOrPrefetch(verdict, call, i, nowNs);
      }
    }
    if (call.descriptorCount() > 1) {
      askPrefetched(verdict, nowNs);
    }
    askTogether(verdict, nowNs);
  }

  /** The limit of a descriptor: its own, else that of its node. */
  private NodeLimit find(RateLimitVerdict verdict, RateLimitCall call, int descriptor) {
    NodeLimit found = match(verdict, call, descriptor);
    DescriptorStatus status = verdict.status(descriptor);
    if (call.hasLimit(descriptor)) {
      status.limit(LimitUnit.ofNumber(call.unit(descriptor)), call.limit(descriptor));
    } else if (found != null) {
      status.limit(found);
    }
    return found;
  }

  /** Finds the path to a descriptor's node; none if it brings its own limit. */
  private NodeLimit match(RateLimitVerdict verdict, RateLimitCall call, int descriptor) {
    if (call.hasLimit(descriptor)) {
      match.clear();
      return null;
    }
    return match.find(verdict.domain(), call, descriptor);
  }

  /** Sets what a descriptor is charged. */
  private void charge(
      RateLimitVerdict verdict, RateLimitCall call, int descriptor, NodeLimit limit) {
    DescriptorStatus status = verdict.status(descriptor);
    long hits = call.hits(descriptor);
    if (limit == null) {
      Rule counts = configuration.counts(status.unit());
      status.charge(counts, true, hits, figures.ofCall(verdict.domain(), call, descriptor));
    } else {
      boolean countsAll = limit.spec().countsAll();
      status.charge(
          limit.charged(),
          countsAll,
          hits,
          figures.of(limit, verdict.domain(), call, descriptor, match));
    }
  }

  private void askOrPrefetch(
      RateLimitVerdict verdict, RateLimitCall call, int descriptor, long nowNs) {
    DescriptorStatus status = verdict.status(descriptor);
    boolean isTogether =
        verdict.isAllOrNothing()
            && !answers.areQuotas()
            && status.refusesCall()
            && verdict.together.add(status);
    DescriptorIdentity whose = isTogether ? together(verdict.together.count() - 1) : identity;
    read(call, descriptor, whose);
    status.identity(whose.hash());
    if (isTogether) {
      return; // it is asked with the others
    }
    if (status.isLocal() && call.descriptorCount() > 1) {
      status.prefetch();
      admission.prefetch(status.charged(), status);
    } else {
      ask(verdict, status, whose, nowNs);
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

  private void askPrefetched(RateLimitVerdict verdict, long nowNs) {
    admission.fetch();
    for (int i = 0; i < verdict.count(); i++) {
      DescriptorStatus status = verdict.status(i);
      if (status.isPrefetched()) {
        ask(verdict, status, status, nowNs);
      }
    }
  }

  /** Asks about a descriptor by itself. */
  private void ask(RateLimitVerdict call, DescriptorStatus status, Identities whose, long nowNs) {
    Verdict verdict = admission.ask(charges(status, whose), status, nowNs).verdict();
    if (verdict == null) {
      call.opened();
      return;
    }
    long left = verdict.remaining();
    if (verdict.allowed() || !status.countsAll() || !status.isLocal() || left == 0) {
      note(call, status, verdict);
      return;
    }
    // The count has not as much room: its hits fill it, and it is past any limit.
    question.start(Operation.CHECK, Purpose.DESCRIPTOR).cost(left);
    charges.set(status.charged(), whose, question);
    note(call, status, admission.ask(charges, status, nowNs).verdict());
    status.refused();
  }

  private Charges charges(DescriptorStatus status, Identities whose) {
    question.start(status.hits() == 0 ? Operation.PEEK : Operation.CHECK, Purpose.DESCRIPTOR);
    if (status.hits() > 1) {
      question.cost(status.hits());
    }
    return charges.set(status.charged(), whose, question.followed());
  }

  /**
   * Asks about the descriptors that are charged together: in one question, if one decision can have
   * them.
   */
  private void askTogether(RateLimitVerdict call, long nowNs) {
    TakenTogether members = call.together;
    if (members.areOneQuestion() && admission.decidesInOne(charges(members))) {
      Verdict verdict = admission.ask(charges, members, nowNs).verdict();
      if (verdict != null) {
        noteTogether(call, verdict);
      } else {
        call.opened();
      }
      return;
    }
    for (int i = 0; i < members.count(); i++) {
      ask(call, members.member(i), together[i], nowNs);
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
  void decided(RateLimitVerdict call, DescriptorStatus status, Verdict verdict) {
    note(call, status, verdict);
    ended(call);
  }

  /** A verdict on what a call takes together has come late. */
  void decidedTogether(RateLimitVerdict call, Verdict verdict) {
    noteTogether(call, verdict);
    ended(call);
  }

  private void note(RateLimitVerdict call, DescriptorStatus status, Verdict verdict) {
    if (!isDecided(call, verdict)) {
      return;
    }
    status.note(verdict);
    if (call.isAllOrNothing() && verdict.allowed() && !status.countsAll() && status.hits() > 0) {
      status.keep(admission.keep());
    }
  }

  private void noteTogether(RateLimitVerdict call, Verdict verdict) {
    if (!isDecided(call, verdict)) {
      return;
    }
    if (verdict.allowed()) {
      call.together.keep(admission.keep());
    }
    call.together.note(verdict);
  }

  /** Whether limits have decided; otherwise the call fails. */
  private static boolean isDecided(RateLimitVerdict call, Verdict verdict) {
    if (verdict.refusal() == RefusalReason.STORE_UNAVAILABLE) {
      call.fail(RateLimitVerdict.Fault.STORE);
    } else if (verdict.refusal() == RefusalReason.TOO_MANY_PARKED) {
      call.fail(RateLimitVerdict.Fault.BUSY);
    }
    return verdict.allowed()
        || verdict.refusal() == RefusalReason.OVER_LIMIT
        || verdict.refusal() == RefusalReason.NEVER_SATISFIABLE;
  }

  private void ended(RateLimitVerdict verdict) {
    if (!verdict.closed()) {
      return;
    }
    try {
      conclude(verdict);
      verdict.tell();
    } finally {
      release(verdict);
    }
  }

  /** Ends a call that has all its verdicts. */
  private void conclude(RateLimitVerdict verdict) {
    boolean isOver = verdict.fault() == null && verdict.isOver(answers.areQuotas());
    if (verdict.isAllOrNothing()) {
      settle(verdict, isOver || verdict.fault() != null);
    }
    if (verdict.fault() == null) {
      if (isOver && answers.isShadow()) {
        errors.ofShadow.increment();
      }
      verdict.conclude(isOver && !answers.isShadow(), clock.nowNs() - unixEpochNs);
    }
  }

  private void release(RateLimitVerdict verdict) {
    verdict.end();
    give(verdict);
  }

  private void give(RateLimitVerdict verdict) {
    (verdict.isLarge() ? freeLarge : free).give(verdict);
  }

  /** Returns the charges of a call that has to pass to keep them, or lets them stand. */
  private void settle(RateLimitVerdict verdict, boolean goesBack) {
    verdict.together.settle(admission, goesBack);
    for (int i = verdict.count() - 1; i >= 0; i--) {
      verdict.status(i).settle(admission, goesBack);
    }
  }
}
