package dev.weir.proxy.store;

import dev.weir.scripts.CheckReply;

/** What the store decided about one request. Owned by an event loop and reused. */
public final class StoreDecision {
  /** {@link #retryAfterNs}: no wait lets the request pass. */
  public static final long NEVER = -1;

  private static final long NS_PER_US = 1_000;

  private boolean allowed;
  private long remaining;
  private long resetAfterNs;
  private long retryAfterNs;
  private long waitNs;
  private long sentNs;
  private long decidedAtUs;
  private int limitIndex;
  private StoreKeys keys;
  private int firstKey;

  void set(CheckReply reply, int check, boolean allowed, long remaining, long sentNs) {
    this.allowed = allowed;
    this.remaining = remaining;
    this.sentNs = sentNs;
    decidedAtUs = reply.nowUs();
    limitIndex = reply.limitIndex(check);
    resetAfterNs = Math.max(0, reply.resetAtUs(check) - reply.nowUs()) * NS_PER_US;
    long retryAfterUs = reply.retryAfterUs(check);
    retryAfterNs =
        allowed ? 0 : retryAfterUs == CheckReply.NEVER ? NEVER : retryAfterUs * NS_PER_US;
    waitNs = reply.waitUs(check) * NS_PER_US;
  }

  /** Says which keys it is about. */
  void about(StoreKeys of, int first) {
    keys = of;
    firstKey = first;
  }

  /** Holds the keys of the check from {@link #firstKey()} on. */
  public StoreKeys keys() {
    return keys;
  }

  public int firstKey() {
    return firstKey;
  }

  public boolean allowed() {
    return allowed;
  }

  /**
   * Which of the check's limits the figures are about, from 0: the one with the longest wait, or
   * the one closest to exhaustion.
   */
  public int limitIndex() {
    return limitIndex;
  }

  /** When it decided, in the time of the server: what a refund of the charge has to say. */
  public long decidedAtUs() {
    return decidedAtUs;
  }

  /** Units left, 0 or more. */
  public long remaining() {
    return remaining;
  }

  /** From the decision on, until the limit is whole again. */
  public long resetAfterNs() {
    return resetAfterNs;
  }

  /** From the decision on, the least wait for the request to pass; {@link #NEVER}; 0 if it did. */
  public long retryAfterNs() {
    return retryAfterNs;
  }

  /** How long a queue holds the request. */
  public long waitNs() {
    return waitNs;
  }

  /** When the store was asked, on the loop's clock: it decided then or later. */
  public long sentNs() {
    return sentNs;
  }
}
