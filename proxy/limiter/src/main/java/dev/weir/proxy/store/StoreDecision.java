package dev.weir.proxy.store;

import dev.weir.algorithms.lease.LeaseLife;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.CheckCall;
import dev.weir.scripts.CheckReply;

/**
 * The decision of the store on one question, read from the reply at once: what its check was
 * granted, and the figures of the limit that they are about. Owned by an event loop and reused.
 */
public final class StoreDecision {
  /** {@link #retryAfterNs}: no wait lets the request pass. */
  public static final long NEVER = -1;

  private static final long NS_PER_US = 1_000;

  private int status;
  private boolean replayed;
  private int limitIndex;
  private long granted;
  private boolean isShort;
  private long remaining;
  private long resetAfterNs;
  private long retryAfterNs;
  private long waitNs;
  private long decidedAtUs;
  private long sentNs;
  private StoreKeys keys;
  private int firstKey;
  private long server;
  private long kept;
  private long lifeUs;
  private boolean isWindowEnd;
  private boolean isMarked;

  /** Marks by limit, of what was granted and kept; of a decision that has any. */
  private final long[] grantedMarks = new long[CheckCall.MAX_LIMITS];

  private final long[] keptMarks = new long[CheckCall.MAX_LIMITS];

  /**
   * Reads the decision on a check, for one of its requests.
   *
   * @param entry of the check in the reply.
   * @param ofRequest requests of the question's own that are granted.
   * @param isAll whether that is all that it asked for.
   * @param left units left once the request has its part.
   */
  void read(
      CheckReply reply,
      int entry,
      BatchChecks checks,
      int check,
      long ofRequest,
      boolean isAll,
      long left) {
    status = reply.status(entry);
    replayed = reply.replayed(entry);
    limitIndex = reply.limitIndex(entry);
    decidedAtUs = reply.nowUs();
    resetAfterNs = Math.max(0, reply.resetAtUs(entry) - decidedAtUs) * NS_PER_US;
    long retryAfterUs = isAll ? 0 : reply.retryAfterUs(entry);
    retryAfterNs = retryAfterUs == CheckReply.NEVER ? NEVER : retryAfterUs * NS_PER_US;
    waitNs = reply.waitUs(entry) * NS_PER_US;
    granted = ofRequest;
    remaining = left;
    isShort = checks.isShort(check, reply, entry);
    keys = checks.keys();
    firstKey = checks.firstKey(check);
    isMarked = checks.isMarked(check);
    server = 0;
    kept = 0;
    lifeUs = 0;
    isWindowEnd = false;
  }

  /** Says when the store was asked. */
  void sent(long ns) {
    sentNs = ns;
  }

  /** Reads the marks of what was granted, and which server decided. */
  void readMarks(CheckReply reply, BatchChecks checks, int check, long by) {
    server = by;
    int lease = checks.leaseIndex(check);
    for (int limit = 0; limit < checks.limitCount(check); limit++) {
      grantedMarks[limit] = reply.grantedMark(lease, limit, checks.cost(check, limit));
    }
  }

  /** Reads what a lease keeps. */
  void readLease(CheckReply reply, BatchChecks checks, int check) {
    int lease = checks.leaseIndex(check);
    kept = reply.kept(lease);
    lifeUs = reply.lifeUs(lease);
    isWindowEnd = kept > 0 && lifeUs < checks.lifeUs(check);
    for (int limit = 0; limit < checks.limitCount(check); limit++) {
      keptMarks[limit] = reply.keptMark(lease, limit);
    }
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
    return replayed;
  }

  /** Whether it is none, as the name of a check once has been granted another cost. */
  public boolean isOfOtherCost() {
    return status == CheckReply.OTHER_COST;
  }

  /** Whether a reset found anything to forget. */
  public boolean done() {
    return status == CheckReply.DONE;
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

  /** Further requests that a lease keeps, to be used until {@link #leaseEndNs()}. */
  public long kept() {
    return kept;
  }

  /** How long what is kept may be used, from the decision on; 0 if nothing is. */
  public long lifeUs() {
    return lifeUs;
  }

  /** From when on what is kept may not be used any more, on the loop's clock. */
  public long leaseEndNs() {
    return LeaseLife.endNs(sentNs, lifeUs);
  }

  /** Whether what is kept ends with the window of one of the limits. */
  public boolean isWindowEnd() {
    return isWindowEnd;
  }

  /** The {@link StoreQuestion#mark} of requests that were kept. */
  public long keptMark(int limit) {
    return keptMarks[limit];
  }

  /**
   * The {@link StoreQuestion#mark} of requests that were granted at once: {@link CheckCall#NO_MARK}
   * if none of the check's limits has marks.
   */
  public long grantedMark(int limit) {
    return isMarked ? grantedMarks[limit] : CheckCall.NO_MARK;
  }

  /**
   * Which server granted a lease, or what has marks: equal for the same address, process and
   * replication history; 0 if there is neither. If the server does not tell, each connection counts
   * as another one.
   */
  public long server() {
    return server;
  }

  /** When the store was asked, on the loop's clock: it decided then or later. */
  public long sentNs() {
    return sentNs;
  }
}
