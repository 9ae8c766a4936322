package dev.weir.proxy.envoy.call;

import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.control.LimitHeaders;
import dev.weir.proxy.control.RateLimitAnswers;
import dev.weir.proxy.envoy.file.Budgets;
import dev.weir.proxy.envoy.file.DescriptorLimit;
import dev.weir.proxy.envoy.file.Domain;
import dev.weir.proxy.envoy.file.LimitUnit;
import dev.weir.proxy.envoy.file.NodeLimit;
import dev.weir.proxy.envoy.file.RateLimitConfiguration;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.DescriptorCounters;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.StoreDecision;
import java.util.Set;

/**
 * Decides on calls: finds the limit of each descriptor, charges all of them, and says what came of
 * each. Budgets of this node are decided at once; those of the store in one call of its where one
 * reaches them, each as an entry of its own, so that what many calls have in common is asked once.
 *
 * <p>One per event loop. For calls that this node decides it allocates nothing.
 */
public final class RateLimiter {
  /** Calls of one event loop that may await the store at one time. */
  static final int MAX_PENDING = 16 * 1024;

  /** The descriptors of all of them: each takes some 200 bytes while its call waits. */
  static final int MAX_PENDING_DESCRIPTORS = 64 * 1024;

  /** Calls of many descriptors whose memory is kept for the next ones. */
  private static final int MAX_LARGE_KEPT = 256;

  private final RateLimitAnswers answers;
  private final RateLimitErrors errors;
  private final LoopClock clock;
  private final long unixEpochNs;
  private final DescriptorMatch match = new DescriptorMatch();
  private final DescriptorIdentity identity;
  private final LocalCounts local;
  private final StoreCounts store;
  private final LimitFigures figures;
  private final VerdictWriter verdicts;
  private final PendingCall atOnce = new PendingCall(this);
  private final PendingCall[] free = new PendingCall[MAX_PENDING];
  private int freeCount;
  private int pendingCount;
  private int pendingDescriptorCount;
  private RateLimitConfiguration configuration;

  /**
   * @param store null if there is none.
   */
  public RateLimiter(
      LimitTables tables,
      LoopStore store,
      StoreNames names,
      KeyHasher hasher,
      LoopMetrics metrics,
      RateLimitErrors errors,
      LoopClock clock,
      long unixEpochNs,
      RateLimitAnswers answers) {
    this.answers = answers;
    this.errors = errors;
    this.clock = clock;
    this.unixEpochNs = unixEpochNs;
    this.identity = new DescriptorIdentity(hasher);
    this.local = new LocalCounts(tables);
    this.store = store == null ? null : new StoreCounts(store, new DescriptorKeyWriter(names));
    this.figures = new LimitFigures(metrics);
    this.verdicts = new VerdictWriter(answers.areQuotas());
  }

  /**
   * Makes what a configuration takes. By one thread at a time, which need not be the event loop's:
   * it takes long where there are many limits.
   *
   * @param before the configuration before it; null if it is the first.
   * @return what the event loop has to run, in the same order: it swaps the configuration, whole.
   *     Calls that await the store keep theirs.
   */
  public Runnable prepare(RateLimitConfiguration before, RateLimitConfiguration next) {
    Runnable figuresSwap =
        figures.prepare(next, before == null ? Set.of() : next.sameDomains(before));
    return () -> {
      figuresSwap.run();
      configuration = next;
    };
  }

  /**
   * Decides on a call.
   *
   * @param call of which every descriptor that brings a limit along says a unit that there is.
   * @param nowNs when it came.
   * @return the verdict, valid until the next call; null if {@code asker} will be told.
   */
  RateLimitVerdict ask(RateLimitCall call, RateLimitAsker asker, long nowNs) {
    Domain domain = configuration.find(call.bytes(), call.domainAt(), call.domainLength());
    if (domain == null) {
      errors.ofDomain();
      return atOnce.verdict.start(call.descriptorCount(), LimitHeaders.OFF);
    }
    PendingCall pending = store == null ? atOnce : take(call.descriptorCount());
    if (pending == null) {
      return atOnce.verdict.start(0, LimitHeaders.OFF).fail(RateLimitVerdict.Fault.BUSY);
    }
    LimitHeaders headers = domain.options().headers();
    pending.begin(call, domain, headers == null ? answers.headers() : headers, asker);
    boolean isAsked = false;
    try {
      charge(pending, call, nowNs);
      isAsked = true;
    } finally {
      if (!isAsked) {
        pending.asker = null; // has failed, and what the store has been asked is nobody's
        pending.undecided();
        ended(pending);
      }
    }
    if (--pending.openCount > 0) {
      return null;
    }
    try {
      return conclude(pending);
    } finally {
      leave(pending);
    }
  }

  /**
   * Charges every descriptor. Where limits replace others, those of all are noted first, so that
   * what is replaced is not charged.
   */
  private void charge(PendingCall pending, RateLimitCall call, long nowNs) {
    try {
      chargeAll(pending, call, nowNs);
    } finally {
      if (store != null) {
        store.send(pending, nowNs);
      }
    }
  }

  private void chargeAll(PendingCall pending, RateLimitCall call, long nowNs) {
    RateLimitVerdict verdict = pending.verdict;
    boolean replaces = pending.domain.replaces();
    for (int i = 0; replaces && i < call.descriptorCount(); i++) {
      find(pending, call, i);
    }
    if (replaces) {
      verdicts.replace(verdict);
    }
    identity.domain(call);
    for (int i = 0; i < call.descriptorCount(); i++) {
      if (!replaces) {
        find(pending, call, i);
      }
      NodeLimit limit = verdict.limit(i);
      if (limit != null && limit.spec().isUnlimited()) {
        verdict.unlimited(i);
      } else if (verdict.unit(i) != null) {
        if (replaces) {
          match(pending, call, i);
        }
        charge(pending, call, i, limit, nowNs);
      }
    }
    local.chargeAll(pending.charges, nowNs);
  }

  /** Notes the limit of a descriptor: that which it brings along, else that of its node. */
  private void find(PendingCall pending, RateLimitCall call, int descriptor) {
    NodeLimit limit = match(pending, call, descriptor);
    if (call.hasLimit(descriptor)) {
      LimitUnit unit = LimitUnit.ofNumber(call.unit(descriptor));
      pending.verdict.limit(descriptor, null, unit, call.limit(descriptor));
    } else if (limit != null) {
      DescriptorLimit spec = limit.spec();
      pending.verdict.limit(descriptor, limit, spec.unit(), spec.requestsPerUnit());
    }
  }

  /** Finds the way to a descriptor's node; none if it brings its limit along. */
  private NodeLimit match(PendingCall pending, RateLimitCall call, int descriptor) {
    if (call.hasLimit(descriptor)) {
      match.clear();
      return null;
    }
    return match.find(pending.domain, call, descriptor);
  }

  /** Adds what a descriptor charges; of the store it is asked at once. */
  private void charge(
      PendingCall pending, RateLimitCall call, int descriptor, NodeLimit limit, long nowNs) {
    LimitUnit unit = pending.verdict.unit(descriptor);
    boolean isOfFile = limit != null;
    Budgets budgets = isOfFile ? limit.budgets() : configuration.counts(unit);
    DescriptorCounters counters =
        isOfFile
            ? figures.of(limit, pending.domain, call, descriptor, match)
            : figures.ofCall(pending.domain, call, descriptor);
    identity.set(call, descriptor, match);
    int charge = pending.charges.count();
    long hits = call.hits(descriptor);
    if (budgets.isExact()) {
      pending.add(descriptor, budgets, hits, 0, counters);
      store.ask(pending, charge, identity, unit, nowNs);
    } else {
      pending.add(descriptor, budgets, hits, identity.hash() ^ budgets.seed(), counters);
      local.fetch(pending.charges, charge);
    }
  }

  /** The store has decided on one of a call's charges. */
  void decided(PendingCall pending, int charge, StoreDecision decision) {
    StoreCounts.decided(pending, charge, decision);
    ended(pending);
  }

  /** One of the questions to the store has come to its end. */
  void ended(PendingCall pending) {
    if (--pending.openCount > 0) {
      return;
    }
    try {
      RateLimitAsker asker = pending.asker;
      RateLimitVerdict verdict = conclude(pending);
      if (asker != null) {
        asker.decided(verdict);
      }
    } finally {
      leave(pending);
    }
  }

  private RateLimitVerdict conclude(PendingCall pending) {
    long nowNs = clock.nowNs();
    boolean isAllOrNothing = pending.domain.options().isAllOrNothing();
    pending.together.settle(pending.charges);
    if (pending.isUndecided()) {
      if (isAllOrNothing) {
        giveBack(pending, nowNs);
      }
      return pending.verdict.fail(RateLimitVerdict.Fault.STORE);
    }
    boolean isOver = verdicts.isOverLimit(pending);
    pending.verdict.overLimit(isOver && !answers.isShadow());
    if (isOver && answers.isShadow()) {
      errors.ofShadow();
    }
    if (isOver && isAllOrNothing) {
      giveBack(pending, nowNs);
    }
    verdicts.write(pending, nowNs - unixEpochNs);
    return pending.verdict;
  }

  private void giveBack(PendingCall pending, long nowNs) {
    CallCharges charges = pending.charges;
    for (int i = charges.count() - 1; i >= 0; i--) {
      Budgets budgets = charges.budgets(i);
      if (charges.isTaken(i) && !budgets.countsAll()) {
        if (budgets.isExact()) {
          store.giveBack(pending, i, nowNs);
        } else {
          local.giveBack(charges, i, nowNs);
        }
      }
    }
  }

  private PendingCall take(int descriptorCount) {
    if (pendingCount == MAX_PENDING
        || pendingDescriptorCount + descriptorCount > MAX_PENDING_DESCRIPTORS) {
      return null;
    }
    pendingCount++;
    pendingDescriptorCount += descriptorCount;
    return freeCount == 0 ? new PendingCall(this) : free[--freeCount];
  }

  private void leave(PendingCall pending) {
    pending.end();
    if (pending == atOnce) {
      return;
    }
    pendingCount--;
    pendingDescriptorCount -= pending.verdict.count();
    if (freeCount < MAX_LARGE_KEPT || !pending.isLarge()) {
      free[freeCount++] = pending;
    }
  }
}
