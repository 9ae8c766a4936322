package dev.weir.proxy.store;

import dev.weir.scripts.CheckReply;

/**
 * The decision of the store on one question: what its check was granted, and the figures of the
 * reply, which are read when they are asked for. Owned by an event loop and reused.
 */
public final class StoreDecision {
  /** {@link #retryAfterNs}: no wait lets the request pass. */
  public static final long NEVER = -1;

  private static final long NS_PER_US = 1_000;

  private CheckReply reply;
  private int check;
  private long granted;
  private boolean isAll;
  private long remaining;
  private long sentNs;
  private StoreKeys keys;
  private int firstKey;

  /**
   * @param granted requests of the question's own.
   * @param all whether that is all that it asked for.
   */
  void set(CheckReply reply, int check, long granted, boolean all, long remaining, long sentNs) {
    this.reply = reply;
    this.check = check;
    this.granted = granted;
    isAll = all;
    this.remaining = remaining;
    this.sentNs = sentNs;
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
    return reply.replayed(check);
  }

  /** Whether a reset found anything to forget. */
  public boolean done() {
    return reply.status(check) == CheckReply.DONE;
  }

  /**
   * Which of the check's limits the figures are about, from 0: the one with the longest wait, or
   * the one closest to exhaustion.
   */
  public int limitIndex() {
    return reply.limitIndex(check);
  }

  /** When the store decided, in the time of the server: a refund of the charge has to say it. */
  public long decidedAtUs() {
    return reply.nowUs();
  }

  /** Units left, 0 or more. */
  public long remaining() {
    return remaining;
  }

  /** The time from the decision on until the limit is whole again. */
  public long resetAfterNs() {
    return Math.max(0, reply.resetAtUs(check) - reply.nowUs()) * NS_PER_US;
  }

  /**
   * From the decision on, the least wait for the first request to pass that was not granted; {@link
   * #NEVER}; 0 if all were.
   */
  public long retryAfterNs() {
    if (isAll) {
      return 0;
    }
    long afterUs = reply.retryAfterUs(check);
    return afterUs == CheckReply.NEVER ? NEVER : afterUs * NS_PER_US;
  }

  /** How long a queue holds the request. */
  public long waitNs() {
    return reply.waitUs(check) * NS_PER_US;
  }

  /** When the store was asked, on the loop's clock: it decided then or later. */
  public long sentNs() {
    return sentNs;
  }
}
