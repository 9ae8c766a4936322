package dev.weir.proxy.store;

import dev.weir.algorithms.lease.LeaseLife;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.CheckCall;
import dev.weir.scripts.CheckReply;

/**
 * The store's decision on one question, read from the reply: what its check was granted, and the
 * figures of one of its limits. Owned by an event loop and reused.
 */
public final class StoreDecision {
  /** The value of {@link #retryAfterNs} if no wait lets the request pass. */
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
  private long heldUnits;

  /** Marks of grants and leases by limit, if the decision has any. */
  private final long[] grantedMarks = new long[CheckCall.MAX_LIMITS];

  private final long[] keptMarks = new long[CheckCall.MAX_LIMITS];

  /** The result for a holder's numbers, by limit. */
  private final int[] heldStates = new int[CheckCall.MAX_LIMITS];

  /**
   * Reads the decision for one of the requests of a check.
   *
   * @param entry of the check in the reply.
   * @param ofRequest requests of the question that are granted.
   * @param isAll whether that is all that it asked for.
   * @param left units left after this request's part.
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
    boolean tellsHeld = checks.tellsHeld(check);
    heldUnits = tellsHeld ? reply.heldUnits(entry) : 0;
    waitNs = tellsHeld ? 0 : reply.waitUs(entry) * NS_PER_US;
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

  /** Sets when the store was asked. */
  void sent(long ns) {
    sentNs = ns;
  }

  /** Reads the marks of a grant, and which server made it. */
  void readMarks(CheckReply reply, BatchChecks checks, int check, long by) {
    server = by;
    int lease = checks.leaseIndex(check);
    for (int limit = 0; limit < checks.limitCount(check); limit++) {
      grantedMarks[limit] = reply.grantedMark(lease, limit, checks.cost(check, limit));
    }
  }

  /** Reads the lease. */
  void readLease(CheckReply reply, BatchChecks checks, int check) {
    int lease = checks.leaseIndex(check);
    kept = reply.kept(lease);
    lifeUs = reply.lifeUs(lease);
    isWindowEnd = kept > 0 && lifeUs < checks.lifeUs(check);
    for (int limit = 0; limit < checks.limitCount(check); limit++) {
      keptMarks[limit] = reply.keptMark(lease, limit);
    }
  }

  /** Reads what became of a hold, and which server has its record. */
  void readHold(CheckReply reply, BatchChecks checks, int check, long by) {
    server = by;
    int hold = checks.holdIndex(check);
    kept = reply.heldKept(hold);
    for (int limit = 0; limit < checks.limitCount(check); limit++) {
      heldStates[limit] = reply.holdStatus(hold, limit);
    }
  }

  /** The keys of the check, from {@link #firstKey()} on. */
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

  /** Requests that were granted, of those that the question is about. */
  public long granted() {
    return granted;
  }

  /**
   * Whether the store had less than was asked for together: it refused the question, or another in
   * its check, or leased nothing though a lease was wanted.
   */
  public boolean isShort() {
    return isShort;
  }

  /**
   * Whether this repeats the decision on an earlier check with the same idempotency key, and
   * charges nothing.
   */
  public boolean replayed() {
    return replayed;
  }

  /** Whether there is no decision, as the idempotency key was granted another cost. */
  public boolean isOfOtherCost() {
    return status == CheckReply.OTHER_COST;
  }

  /** Whether a reset found a budget to reset. */
  public boolean done() {
    return status == CheckReply.DONE;
  }

  /**
   * The limit of the check that the figures are about, from 0: the one with the longest wait, or
   * the one closest to exhaustion.
   */
  public int limitIndex() {
    return limitIndex;
  }

  /** When the store decided, in the server's time; a refund needs it. */
  public long decidedAtUs() {
    return decidedAtUs;
  }

  /** Units left, 0 or more. */
  public long remaining() {
    return remaining;
  }

  /** The time from the decision until the budget is full again. */
  public long resetAfterNs() {
    return resetAfterNs;
  }

  /**
   * The shortest wait from the decision for the first request that was not granted; {@link #NEVER};
   * 0 if all were, or if units that are held stand in the way: nobody knows when they are released.
   */
  public long retryAfterNs() {
    return retryAfterNs;
  }

  /** How long the request waits for its slot in a queue. */
  public long waitNs() {
    return waitNs;
  }

  /**
   * What became of what the holder said of a limit, in the decision on a hold: {@link
   * CheckReply#NOT_HELD} if it holds none of it, {@link CheckReply#APPLIED}, {@link
   * CheckReply#OLDER} or {@link CheckReply#FORGOTTEN}.
   */
  public int heldState(int limit) {
    return heldStates[limit];
  }

  /**
   * Units that are held of the limit that the figures are about, of all holders together: after a
   * hold, or of a peek with them. {@link #remaining} are neither used nor held.
   */
  public long heldUnits() {
    return heldUnits;
  }

  /**
   * Whether a hold was refused by what is used alone: so it would be refused until {@link
   * #retryAfterNs}, whatever is released.
   */
  public boolean isUsedAlone() {
    return isShort && retryAfterNs != 0;
  }

  /**
   * Requests that the lease is for, to be used until {@link #leaseEndNs()}; or that a hold keeps.
   */
  public long kept() {
    return kept;
  }

  /** The life of the lease from the decision on; 0 if there is none. */
  public long lifeUs() {
    return lifeUs;
  }

  /** The end of the lease, by the loop's clock. */
  public long leaseEndNs() {
    return LeaseLife.endNs(sentNs, lifeUs);
  }

  /** Whether the lease ends with the window of one of the limits. */
  public boolean isWindowEnd() {
    return isWindowEnd;
  }

  /** The {@link StoreQuestion#mark} of the leased units. */
  public long keptMark(int limit) {
    return keptMarks[limit];
  }

  /**
   * The {@link StoreQuestion#mark} of the units that were granted at once: {@link
   * CheckCall#NO_MARK} if none of the check's limits has marks.
   */
  public long grantedMark(int limit) {
    return isMarked ? grantedMarks[limit] : CheckCall.NO_MARK;
  }

  /**
   * The identity of the server that granted a lease, or units with marks, or answered a hold: equal
   * for the same address, process and replication history; 0 for other decisions. If the server
   * does not tell, each connection counts as another server.
   */
  public long server() {
    return server;
  }

  /** When the store was asked, by the loop's clock; it decided then or later. */
  public long sentNs() {
    return sentNs;
  }
}
