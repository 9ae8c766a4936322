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
import org.agrona.DirectBuffer;

/**
 * One descriptor of a call: its limit, what it is charged, what came of that, and what its status
 * says, as envoyproxy/ratelimit words it. Reused with its call; allocates nothing.
 *
 * <p>It is an identity of which only the hash is known: that of its entries.
 */
final class DescriptorStatus implements VerdictListener, Identities, Identity {
  /** The units left of what is unlimited. */
  static final long UNLIMITED = 0xFFFF_FFFFL;

  private static final long NS_PER_SECOND = 1_000_000_000;

  /** From this part of a limit on a hit is near it. */
  private static final float NEAR = 0.8f;

  private final RateLimitVerdict call;
  private NodeLimit limit;
  private LimitUnit unit;
  private long requestsPerUnit;

  private Rule charged;
  private boolean countsAll;
  private boolean isExpected;
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
   * @param call that it is one of.
   */
  DescriptorStatus(RateLimitVerdict call) {
    this.call = call;
  }

  /** Begins anew: it passes, without a limit. */
  void begin() {
    limit = null;
    unit = null;
    charged = null;
    counters = null;
    isExpected = false;
    kept = Admission.NOTHING_KEPT;
    isOver = false;
    remaining = 0;
  }

  /** It has the limit of a node; one that is unlimited says so in its status. */
  void limit(NodeLimit of) {
    limit = of;
    unit = of.spec().unit();
    requestsPerUnit = of.spec().requestsPerUnit();
  }

  /** It has a limit that the call brought along. */
  void limit(LimitUnit ofCall, long perUnit) {
    unit = ofCall;
    requestsPerUnit = perUnit;
  }

  /** Another descriptor's limit stands for that of this one, which passes without one. */
  void replaced() {
    unit = null;
  }

  /** It has no limit, and says so. */
  void unlimited() {
    remaining = UNLIMITED;
  }

  /** Whether its limit is one that another's replaces. */
  boolean isReplacedBy(DescriptorStatus other) {
    return other.limit != null && other.limit.replaces(limit);
  }

  /**
   * Says what it is charged.
   *
   * @param limits of one budget: those of its node, or the counts of its unit.
   * @param ofAll whether every hit counts, refused or not: then the budget is a mere count, which
   *     is compared with the limit here.
   * @param units that it takes; 0 takes nothing, and looks.
   */
  void charge(Rule limits, boolean ofAll, long units, DescriptorCounters into) {
    charged = limits;
    countsAll = ofAll;
    hits = Math.min(units, Question.MAX_COST);
    counters = into;
  }

  /** Says whose budget it is. */
  void identity(long hashOfEntries) {
    hash = hashOfEntries;
  }

  /** It will be asked about when all that this node reads has been fetched. */
  void expect() {
    isExpected = true;
  }

  boolean isExpected() {
    return isExpected;
  }

  /** Notes a verdict that is about this descriptor alone. */
  void note(Verdict verdict) {
    note(
        verdict.allowed(),
        verdict.limit(),
        verdict.remaining(),
        verdict.resetAfterNs(),
        verdict.retryAfterNs());
  }

  /** Notes the figures that a verdict on several has of this one. */
  void note(Verdict.Row row) {
    note(row.allowed(), row.limit(), row.remaining(), row.resetAfterNs(), row.retryAfterNs());
  }

  private void note(boolean allowed, long of, long left, long resetAfterNs, long retryAfterNs) {
    isGranted = allowed;
    capacity = countsAll ? requestsPerUnit : of;
    used = of - left;
    resetNs = retryAfterNs > 0 ? retryAfterNs : resetAfterNs;
  }

  /** It is refused, whatever its figures say. */
  void refused() {
    isGranted = false;
  }

  /** What it has taken is kept, as it may have to go back. */
  void keep(int named) {
    kept = named;
  }

  /** Gives back what is kept, or lets it stand. */
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

  /** What it has taken has gone back: it is granted all the same. */
  void givenBack() {
    used = Math.max(0, used - hits);
  }

  /** Whether the call is refused if this is: the limit is no shadow, and takes hits. */
  boolean refusesCall() {
    return hits > 0 && !countsAll && !isShadow() && !limit.spec().isQuota();
  }

  /** Whether it is over its limit; one in shadow mode too. */
  private boolean isPastLimit() {
    return !isGranted || countsAll && used > capacity;
  }

  private boolean isShadow() {
    return limit != null && limit.spec().isShadow();
  }

  /** Whether its limit refuses, be it alone or with all other quotas. */
  boolean refuses() {
    return isPastLimit() && !isShadow();
  }

  /** Whether its limit refuses only together with all others of its kind. */
  boolean isQuota() {
    return limit != null && limit.spec().isQuota();
  }

  /** Says what its status is, and counts its hits. */
  void conclude(long unixNs) {
    boolean isPast = isPastLimit();
    count(isPast);
    long left = isPast ? 0 : Math.max(0, capacity - used);
    say(isPast && !isShadow(), left, countsAll ? windowLeftNs(unixNs) : resetNs);
  }

  /** What this node or the store says of a count that is 0 is that it need not be reset. */
  private long windowLeftNs(long unixNs) {
    return resetNs == 0 || isLocal()
        ? unit.secondsLeft(unixNs) * NS_PER_SECOND
        : (resetNs + NS_PER_SECOND - 1) / NS_PER_SECOND * NS_PER_SECOND;
  }

  /** Says what its status is. */
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

  /** A verdict on it has come late. */
  @Override
  public void decided(long ticket, Verdict verdict) {
    call.limiter().decided(call, this, verdict);
  }

  /** What is charged; null if nothing is. */
  Rule charged() {
    return charged;
  }

  /** Whether this node decides on what is charged. */
  boolean isLocal() {
    return charged.localGroupCount() > 0;
  }

  boolean countsAll() {
    return countsAll;
  }

  long hits() {
    return hits;
  }

  /** The limit of its node, unless another replaces it; null if it has none. */
  NodeLimit limit() {
    return limit;
  }

  /** The unit of its limit; null if it has none. */
  LimitUnit unit() {
    return unit;
  }

  long requestsPerUnit() {
    return requestsPerUnit;
  }

  /** The name of its limit; empty if it has none. */
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

  /** How long it is until its limit is whole again. */
  long resetNs() {
    return resetNs;
  }

  /** The same in whole seconds, begun ones whole. */
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

  @Override
  public DirectBuffer bytes() {
    throw new IllegalStateException("its bytes are not kept");
  }

  @Override
  public int length() {
    throw new IllegalStateException("its bytes are not kept");
  }
}
