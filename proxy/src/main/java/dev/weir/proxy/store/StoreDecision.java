package dev.weir.proxy.store;

import dev.weir.scripts.CheckReply;

/** The decision of the store on one question. Owned by an event loop and reused. */
public final class StoreDecision {
  /** {@link #retryAfterNs}: no wait lets the request pass. */
  public static final long NEVER = -1;

  private static final long NS_PER_US = 1_000;

  private long granted;
  private boolean replayed;
  private boolean done;
  private long remaining;
  private long resetAfterNs;
  private long retryAfterNs;
  private long waitNs;
  private long sentNs;
  private long decidedAtUs;
  private int limitIndex;
  private StoreKeys keys;
  private int firstKey;

  /**
   * @param granted requests of the question's own.
   * @param all whether that is all that it asked for.
   */
  void set(CheckReply reply, int check, long granted, boolean all, long remaining, long sentNs) {
    this.granted = granted;
    replayed = reply.replayed(check);
    done = reply.status(check) == CheckReply.DONE;
    this.remaining = remaining;
    this.sentNs = sentNs;
    decidedAtUs = reply.nowUs();
    limitIndex = reply.limitIndex(check);
    resetAfterNs = Math.max(0, reply.resetAtUs(check) - reply.nowUs()) * NS_PER_US;
    long retryAfterUs = reply.retryAfterUs(check);
    retryAfterNs = all ? 0 : retryAfterUs == CheckReply.NEVER ? NEVER : retryAfterUs * NS_PER_US;
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

  /** Whether anything was granted. */
  public boolean allowed() {
    return granted > 0;
  }

  /** Requests that were granted, of those that were asked for. */
  public long granted() {
    return granted;
  }

  /** Whether this is the decision of an earlier check once, and cost nothing. */
  public boolean replayed() {
    return replayed;
  }

  /** Whether a reset found anything to forget. */
  public boolean done() {
    return done;
  }

  /**
   * Which of the check's limits the figures are about, from 0: the one with the longest wait, or
   * the one closest to exhaustion.
   */
  public int limitIndex() {
    return limitIndex;
  }

  /** When the store decided, in the time of the server: a refund of the charge has to say it. */
  public long decidedAtUs() {
    return decidedAtUs;
  }

  /** Units left, 0 or more. */
  public long remaining() {
    return remaining;
  }

  /** The time from the decision on until the limit is whole again. */
  public long resetAfterNs() {
    return resetAfterNs;
  }

  /**
   * From the decision on, the least wait for the first request to pass that was not granted; {@link
   * #NEVER}; 0 if all were.
   */
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
