package dev.weir.proxy.exchange;

import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.Verdict;

/** The limit that a request has passed, for the fields of its response. */
public final class PassedLimit {
  private QuotaPolicy policy;
  private long remaining;
  private long resetAfterNs;
  private Verdict.State state;

  void clear() {
    policy = null;
  }

  void set(Verdict verdict) {
    policy = verdict.policy();
    remaining = verdict.remaining();
    resetAfterNs = verdict.resetAfterNs();
    state = verdict.toldState();
  }

  /** The limit; null if none applied. */
  public QuotaPolicy policy() {
    return policy;
  }

  /** Units left when the request passed. */
  public long remaining() {
    return remaining;
  }

  /** The state to tell; null for none. Undefined if no limit applied. */
  public Verdict.State state() {
    return state;
  }

  /** Nanoseconds until the budget is full again, from when the request passed. */
  public long resetAfterNs() {
    return resetAfterNs;
  }
}
