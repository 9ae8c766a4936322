package dev.weir.proxy.request;

/**
 * What was decided about one question, with all that an answer may have to say. Owned by an event
 * loop and reused: valid only during the call that hands it over; who needs it longer copies what
 * it needs.
 */
public final class Verdict {
  /** Of a budget that is used up to this many percent, clients are warned. */
  private static final int WARNING_PERCENT = 80;

  /** How far a budget is used. */
  public enum State {
    NORMAL,
    /** 80 % or more of it. */
    WARNING,
    /** All of it, or so much that the request did not fit. */
    THROTTLED
  }

  private RefusalReason refusal;
  private String ruleId;
  private QuotaPolicy policy;
  private long limit;
  private long remaining;
  private long resetAfterNs;
  private long retryAfterNs;
  private long heldNs;

  /** Allowed, and no limit applied. */
  public Verdict allowUnlimited() {
    return set(null, null, 0, 0, 0, 0);
  }

  /**
   * Allowed within a limit.
   *
   * @param limit units of a budget that nobody has taken from.
   * @param remaining units left, 0 or more.
   * @param resetAfterNs until the budget is whole again, 0 or more.
   */
  public Verdict allow(QuotaPolicy policy, long limit, long remaining, long resetAfterNs) {
    return set(null, policy, limit, remaining, resetAfterNs, 0);
  }

  /**
   * Refused, and a later request may pass.
   *
   * @param policy null if it was not a limit that refused.
   * @param retryAfterNs the least wait after which the request would pass, or 0 if none would do.
   */
  public Verdict refuse(
      RefusalReason reason,
      QuotaPolicy policy,
      long limit,
      long remaining,
      long resetAfterNs,
      long retryAfterNs) {
    return set(reason, policy, limit, remaining, resetAfterNs, retryAfterNs);
  }

  /** Refused for a reason that has nothing to do with a quota. */
  public Verdict refuse(RefusalReason reason) {
    return set(reason, null, 0, 0, 0, 0);
  }

  private Verdict set(
      RefusalReason refusal,
      QuotaPolicy policy,
      long limit,
      long remaining,
      long resetAfterNs,
      long retryAfterNs) {
    this.refusal = refusal;
    this.ruleId = null;
    this.policy = policy;
    this.limit = limit;
    this.remaining = remaining;
    this.resetAfterNs = resetAfterNs;
    this.retryAfterNs = retryAfterNs;
    this.heldNs = 0;
    return this;
  }

  /** Says by which rule it was decided; none unless it is said. */
  public Verdict ofRule(String id) {
    ruleId = id;
    return this;
  }

  /** Says how long the request was held until it might pass; 0 unless it is said. */
  public Verdict heldNs(long heldNs) {
    this.heldNs = heldNs;
    return this;
  }

  /** How long the request was held on purpose, in nanoseconds. */
  public long heldNs() {
    return heldNs;
  }

  public boolean allowed() {
    return refusal == null;
  }

  /** Why the request is refused; null if it is allowed. */
  public RefusalReason refusal() {
    return refusal;
  }

  /** The id of the rule; null if none applied. */
  public String ruleId() {
    return ruleId;
  }

  /** The limit that decided, as clients are told of it; null if none did. */
  public QuotaPolicy policy() {
    return policy;
  }

  /** Units of a budget that nobody has taken from; 0 if no limit decided. */
  public long limit() {
    return limit;
  }

  /** Units that count against the limit, from 0 to {@link #limit()}, begun ones whole. */
  public long current() {
    return limit - Math.min(limit, remaining);
  }

  /** Units left in the limit, 0 or more. */
  public long remaining() {
    return remaining;
  }

  /** Nanoseconds until the limit is whole again, 0 or more. */
  public long resetAfterNs() {
    return resetAfterNs;
  }

  /** The least wait in nanoseconds after which the request would pass; 0 if none would do. */
  public long retryAfterNs() {
    return retryAfterNs;
  }

  /** How far the budget is used that decided; NORMAL if none did. */
  public State state() {
    if (policy == null) {
      return State.NORMAL;
    }
    if (remaining <= 0 || refusal == RefusalReason.OVER_LIMIT) {
      return State.THROTTLED;
    }
    return current() * 100.0 >= (double) limit * WARNING_PERCENT ? State.WARNING : State.NORMAL;
  }
}
