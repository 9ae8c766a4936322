package dev.weir.proxy.envoy.call;

import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.envoy.file.LimitUnit;
import dev.weir.proxy.envoy.file.NodeLimit;
import dev.weir.proxy.metrics.DescriptorCounters;
import dev.weir.proxy.metrics.DescriptorCounters.Outcome;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.identity.Identity;

/**
 * One descriptor of a call: its limit, its charge, the verdict, and its status in the terms of
 * envoyproxy/ratelimit. Reused with its call; allocates nothing.
 *
 * <p>It is also the identity that is charged, as a hash of its entries only.
 */
final class DescriptorStatus implements VerdictListener, Identities, Identity {
  /** The units left of an unlimited descriptor. */
  static final long UNLIMITED = 0xFFFF_FFFFL;

  private static final long NS_PER_SECOND = 1_000_000_000;

  /** From this part of a limit on a hit counts as near the limit. */
  private static final float NEAR = 0.8f;

  private final RateLimitVerdict call;
  private NodeLimit limit;
  private LimitUnit unit;
  private long requestsPerUnit;

  private Rule charged;
  private boolean countsAll;
  private boolean isPrefetched;
  private long hits;
  private long hash;
  private DescriptorCounters counters;

  private boolean isGranted;
  private long capacity;
  private long used;
  private long resetNs;
  private int kept;

  private boolean isOver;
  private long remaining;

  /**
   * @param call of the descriptor.
   */
  DescriptorStatus(RateLimitVerdict call) {
    this.call = call;
  }

  /** Begins without a limit, as one that passes. */
  void begin() {
    limit = null;
    unit = null;
    charged = null;
    counters = null;
    isPrefetched = false;
    kept = Admission.NOTHING_KEPT;
    isOver = false;
    remaining = 0;
  }

  /** Sets the limit of a node, which may be unlimited. */
  void limit(NodeLimit of) {
    limit = of;
    unit = of.spec().unit();
    requestsPerUnit = of.spec().requestsPerUnit();
  }

  /** Sets a limit that the call brings. */
  void limit(LimitUnit ofCall, long perUnit) {
    unit = ofCall;
    requestsPerUnit = perUnit;
  }

  /** Removes the limit, as that of another descriptor replaces it. */
  void replaced() {
    unit = null;
  }

  /** Sets that it has no limit, and that its status says so. */
  void unlimited() {
    remaining = UNLIMITED;
  }

  /** Whether the limit of another descriptor replaces its own. */
  boolean isReplacedBy(DescriptorStatus other) {
    return other.limit != null && other.limit.replaces(limit);
  }

  /**
   * Sets its charge.
   *
   * @param limits with one budget: those of its node, or the counting limit of its unit.
   * @param ofAll whether every hit counts, refused or not: then the count is compared with the
   *     limit here.
   * @param units to take; 0 only looks.
   * @param into counts its hits.
   */
  void charge(Rule limits, boolean ofAll, long units, DescriptorCounters into) {
    charged = limits;
    countsAll = ofAll;
    hits = Math.min(units, Question.MAX_COST);
    counters = into;
  }

  /** Sets the identity. */
  void identity(long hashOfEntries) {
    hash = hashOfEntries;
  }

  /** Marks it to be asked about when its memory has been prefetched. */
  void prefetch() {
    isPrefetched = true;
  }

  boolean isPrefetched() {
    return isPrefetched;
  }

  /** Takes a verdict on this descriptor alone. */
  void note(Verdict verdict) {
    note(
        verdict.allowed(),
        verdict.limit(),
        verdict.remaining(),
        verdict.resetAfterNs(),
        verdict.retryAfterNs());
  }

  /** Takes the figures of this descriptor in a verdict on several. */
  void note(Verdict.Row row) {
    note(row.allowed(), row.limit(), row.remaining(), row.resetAfterNs(), row.retryAfterNs());
  }

  private void note(boolean allowed, long of, long left, long resetAfterNs, long retryAfterNs) {
    isGranted = allowed;
    capacity = countsAll ? requestsPerUnit : of;
    used = of - left;
    resetNs = retryAfterNs > 0 ? retryAfterNs : resetAfterNs;
  }

  /** Marks it as refused, whatever its figures are. */
  void refused() {
    isGranted = false;
  }

  /** Keeps its charge, as it may have to be returned. */
  void keep(int named) {
    kept = named;
  }

  /** Returns the kept charge, or lets it stand. */
  void settle(AdmissionHandler admission, boolean goesBack) {
    if (kept == Admission.NOTHING_KEPT) {
      return;
    }
    if (goesBack) {
      admission.refund(kept);
      givenBack();
    } else {
      admission.letStand(kept);
    }
  }

  /** Marks it as granted although its charge was returned. */
  void givenBack() {
    used = Math.max(0, used - hits);
  }

  /**
   * Whether the call is refused if this descriptor is: it takes hits, and its limit is not in
   * shadow mode.
   */
  boolean refusesCall() {
    return hits > 0 && !countsAll && !isShadow() && !limit.spec().isQuota();
  }

  /** Whether it is over its limit, also in shadow mode. */
  private boolean isPastLimit() {
    return !isGranted || countsAll && used > capacity;
  }

  private boolean isShadow() {
    return limit != null && limit.spec().isShadow();
  }

  /** Whether its limit refuses, alone or together with all other quotas. */
  boolean refuses() {
    return isPastLimit() && !isShadow();
  }

  /** Whether its limit refuses only together with all other quotas. */
  boolean isQuota() {
    return limit != null && limit.spec().isQuota();
  }

  /** Sets its status, and counts its hits. */
  void conclude(long unixNs) {
    boolean isPast = isPastLimit();
    count(isPast);
    long left = isPast ? 0 : Math.max(0, capacity - used);
    say(isPast && !isShadow(), left, countsAll ? windowLeftNs(unixNs) : resetNs);
  }

  /** Time until its window ends: computed here, as a count of 0 has no reset time. */
  private long windowLeftNs(long unixNs) {
    return resetNs == 0 || isLocal()
        ? unit.secondsLeft(unixNs) * NS_PER_SECOND
        : (resetNs + NS_PER_SECOND - 1) / NS_PER_SECOND * NS_PER_SECOND;
  }

  /** Sets its status. */
  void say(boolean over, long left, long untilResetNs) {
    isOver = over;
    remaining = Math.min(left, UNLIMITED - 1);
    resetNs = untilResetNs;
  }

  private void count(boolean isPast) {
    long near = (long) Math.floor((float) capacity * NEAR);
    counters.add(Outcome.TOTAL_HITS, hits);
    long before = isPast && !countsAll ? used : used - hits;
    long after = before + hits;
    if (!isPast) {
      counters.add(Outcome.WITHIN_LIMIT, hits);
      if (after > near) {
        counters.add(Outcome.NEAR_LIMIT, before >= near ? hits : after - near);
      }
    } else if (before >= capacity || !countsAll) {
      counters.add(Outcome.OVER_LIMIT, hits);
    } else {
      counters.add(Outcome.OVER_LIMIT, after - capacity);
      counters.add(Outcome.NEAR_LIMIT, capacity - Math.max(near, before));
    }
    if (isPast && isShadow()) {
      counters.add(Outcome.SHADOW_MODE, hits);
    }
  }

  /** Takes a late verdict. */
  @Override
  public void decided(long ticket, Verdict verdict) {
    call.limiter().decided(call, this, verdict);
  }

  /** The charged limit; null if there is none. */
  Rule charged() {
    return charged;
  }

  /** Whether this node decides on the charge. */
  boolean isLocal() {
    return charged.localGroupCount() > 0;
  }

  boolean countsAll() {
    return countsAll;
  }

  long hits() {
    return hits;
  }

  /** The limit of its node, unless another replaces it; null if there is none. */
  NodeLimit limit() {
    return limit;
  }

  /** The unit of its limit; null without a limit. */
  LimitUnit unit() {
    return unit;
  }

  long requestsPerUnit() {
    return requestsPerUnit;
  }

  /** The name of its limit; empty without a limit. */
  String name() {
    return limit == null ? "" : limit.spec().name();
  }

  boolean isOver() {
    return isOver;
  }

  /** Units left, 0 or more. */
  long remaining() {
    return remaining;
  }

  /** Nanoseconds until its budget is full again. */
  long resetNs() {
    return resetNs;
  }

  /** Seconds until its budget is full again, rounded up. */
  long resetSeconds() {
    return (resetNs + NS_PER_SECOND - 1) / NS_PER_SECOND;
  }

  @Override
  public Identity of(int group) {
    return this;
  }

  @Override
  public long hash() {
    return hash;
  }
}
