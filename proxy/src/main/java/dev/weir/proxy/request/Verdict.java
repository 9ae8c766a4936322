package dev.weir.proxy.request;

/**
 * What was decided about one request. Owned by an event loop and reused: valid only during the call
 * that hands it over; who needs it longer copies what it needs.
 */
public final class Verdict {
  private RefusalReason refusal;
  private QuotaPolicy policy;
  private long remaining;
  private long resetAfterNs;
  private long retryAfterNs;
  private long heldNs;

  /** Allowed, and no limit applied. */
  public Verdict allowUnlimited() {
    return set(null, null, 0, 0, 0);
  }

  /**
   * Allowed within a limit.
   *
   * @param remaining requests left, 0 or more.
   * @param resetAfterNs until the limit is whole again, 0 or more.
   */
  public Verdict allow(QuotaPolicy policy, long remaining, long resetAfterNs) {
    return set(null, policy, remaining, resetAfterNs, 0);
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
      long remaining,
      long resetAfterNs,
      long retryAfterNs) {
    return set(reason, policy, remaining, resetAfterNs, retryAfterNs);
  }

  /** Refused for a reason that has nothing to do with a quota. */
  public Verdict refuse(RefusalReason reason) {
    return set(reason, null, 0, 0, 0);
  }

  private Verdict set(
      RefusalReason refusal,
      QuotaPolicy policy,
      long remaining,
      long resetAfterNs,
      long retryAfterNs) {
    this.refusal = refusal;
    this.policy = policy;
    this.remaining = remaining;
    this.resetAfterNs = resetAfterNs;
    this.retryAfterNs = retryAfterNs;
    this.heldNs = 0;
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

  /** The limit that decided; null if none did. */
  public QuotaPolicy policy() {
    return policy;
  }

  /** Requests left in the limit, 0 or more. */
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
}
