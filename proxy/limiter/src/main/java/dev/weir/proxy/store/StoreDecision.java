package dev.weir.proxy.store;

import dev.weir.algorithms.lease.LeaseLife;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.CheckCall;
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
  private boolean isShort;
  private long remaining;
  private long sentNs;
  private StoreKeys keys;
  private int firstKey;
  private long server;

  /** The checks that it is one of, if its answer has marks; else null. */
  private BatchChecks marked;

  /** The checks that it is one of, if it is the decision on a lease; else null. */
  private BatchChecks leased;

  private int ownCheck;

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
    marked = null;
    leased = null;
    server = 0;
  }

  /**
   * Says that its answer has marks.
   *
   * @param own which of the checks it is.
   * @param by which server decided.
   */
  void marked(BatchChecks checks, int own, long by) {
    marked = checks;
    ownCheck = own;
    server = by;
  }

  /** Says that it is that on a lease, which has marks. */
  void leased() {
    leased = marked;
  }

  /** Says whether the store had less than was asked for. */
  void isShort(boolean hadLess) {
    isShort = hadLess;
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

  /** Whether any request may pass now. */
  public boolean allowed() {
    return granted > 0;
  }

  /** Requests that were granted, of those that were asked for. */
  public long granted() {
    return granted;
  }

  /**
   * Whether the store had less than what was asked for together: it refused the question, or
   * another that shared its check, or kept nothing though something was to be kept.
   */
  public boolean isShort() {
    return isShort;
  }

  /** Whether this is the decision of an earlier check once, and cost nothing. */
  public boolean replayed() {
    return reply.replayed(check);
  }

  /** Whether it is none, as the name of a check once has been granted another cost. */
  public boolean isOfOtherCost() {
    return reply.status(check) == CheckReply.OTHER_COST;
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

  /** Further requests that a lease keeps, to be used until {@link #leaseEndNs()}. */
  public long kept() {
    return leased == null ? 0 : reply.kept(leased.leaseIndex(ownCheck));
  }

  /** How long what is kept may be used, from the decision on; 0 if nothing is. */
  public long lifeUs() {
    return leased == null ? 0 : reply.lifeUs(leased.leaseIndex(ownCheck));
  }

  /** From when on what is kept may not be used any more, on the loop's clock. */
  public long leaseEndNs() {
    return LeaseLife.endNs(sentNs, lifeUs());
  }

  /** Whether what is kept ends with the window of one of the limits. */
  public boolean isWindowEnd() {
    return kept() > 0 && lifeUs() < leased.lifeUs(ownCheck);
  }

  /** The {@link StoreQuestion#mark} of requests that were kept. */
  public long keptMark(int limit) {
    return reply.keptMark(leased.leaseIndex(ownCheck), limit);
  }

  /**
   * The {@link StoreQuestion#mark} of requests that were granted at once: {@link CheckCall#NO_MARK}
   * if none of the check's limits has marks.
   */
  public long grantedMark(int limit) {
    return marked == null
        ? CheckCall.NO_MARK
        : reply.grantedMark(marked.leaseIndex(ownCheck), limit, marked.cost(ownCheck, limit));
  }

  /**
   * Which server granted a lease, or what has marks: equal for the same address, process and
   * replication history; 0 if there is neither. If the server does not tell, each connection counts
   * as another one.
   */
  public long server() {
    return server;
  }

  /** Units at once, of the limit that the figures are about. */
  public long capacity() {
    return reply.capacity(check);
  }

  /** When the store was asked, on the loop's clock: it decided then or later. */
  public long sentNs() {
    return sentNs;
  }
}
