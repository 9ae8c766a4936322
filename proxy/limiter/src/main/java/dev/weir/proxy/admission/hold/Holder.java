package dev.weir.proxy.admission.hold;

/**
 * The units that one event loop holds, and has charged, under the limits of one key in the store:
 * the holder's side of operation {@code hold}. Each message says absolute numbers, so that one that
 * is lost, late or repeated does no harm; nothing is ever refunded. Time and messages are
 * arguments.
 *
 * <p><b>Assumed of the store.</b> It keeps a record for each id: units held, units charged, the
 * sequence of the last message, and an expiry, a life after that message. A message with a larger
 * sequence replaces the record, and charges what its {@code charged} is more. A record that expires
 * is charged what it holds. A message whose id has no record is <i>forgotten</i>, unless it says
 * that it may be new.
 *
 * <p><b>The record.</b>
 *
 * <pre>
 * NEW        no answer yet: says that it holds and has charged nothing, until a message is applied
 *   | applied
 * RECORDED   says what it holds, and has charged
 *   | forgotten: its record has expired, or was lost
 * NEW        another id and generation. What runs is <i>paid</i>: its reserve is charged as the
 *            record ends. At its end only what it cost beyond the reserve is charged, under the
 *            new id, once that is recorded.
 * </pre>
 *
 * <p>One message is under way at most. Without an answer in time it counts as lost: the next one
 * says what is held as if nothing had been granted, and an answer that comes later is not used.
 *
 * <p><b>In hand.</b> The store may grant more units than requests ask for. Those count as held, and
 * requests take them without a message as long as the record is sure to live. Lending them, and
 * taking back what a request did not cost, leaves held + charged as it is: so the store's sum is
 * never too small, whenever it is told. They are gone when the record has ended.
 *
 * <p><b>Guaranteed.</b> Units that a grant gave are in the store's record, or charged, from the
 * verdict to the end of the request, unless the store lost them: so no window holds more than the
 * limit. With no end outstanding, nothing in hand, and a store that answers, all units are free
 * again.
 */
public final class Holder {
  /** The most limits of a key. */
  public static final int MAX_LIMITS = 8;

  /** The store keeps a record for so long after its last message. */
  public static final long LIFE_NS = 10_000_000_000L;

  /** A record is relied on for so long after its message: the store's clock may be 0.2 % faster. */
  static final long ALIVE_NS = LIFE_NS / 512 * 511;

  /** When a record that holds units is said again. */
  static final long RENEWAL_NS = 3_000_000_000L;

  /** When what the store does not know is said again, after a message that was lost. */
  static final long REPEAT_NS = 500_000_000L;

  /** The meaning of an answer for the requests that asked with the message. */
  public enum Answer {
    /** The answer says how many are granted; the others are refused. */
    DECIDED,

    /** Nothing was decided; to be asked again at once, by the next message. */
    ASK_AGAIN,

    /** Nothing was decided. */
    UNUSABLE
  }

  /** The fate of the numbers of a limit in the store. */
  public enum Applied {
    /** The limit does not hold. */
    NONE,
    APPLIED,
    /** A later message was there before. */
    OLDER,
    /** The store has no record of the id. */
    FORGOTTEN
  }

  private final HeldAndCharged[] limits = new HeldAndCharged[MAX_LIMITS];
  private int limitCount;
  private long id;
  private long sequence;

  /** The number of ids that there have been. */
  private int generation;

  private boolean isRecorded;
  private boolean isUnderWay;
  private long sentNs;
  private long sentWallNs;

  /** When the last message that was applied was sent: the record lives for a life at least. */
  private long appliedNs;

  private long appliedWallNs;

  /** When the message before the one under way was sent. */
  private long sentBeforeNs;

  /** When a message asked for units last. */
  private long askedNs;

  /** Whether a message was lost since the last that was answered: it may have been granted. */
  private boolean isUnsure;

  /** Begins for another key, with nothing held. */
  public void begin(int ofLimits, long newId) {
    assert !isUnderWay : "it is in use";
    while (limitCount < ofLimits) {
      if (limits[limitCount] == null) {
        limits[limitCount] = new HeldAndCharged();
      }
      limitCount++;
    }
    limitCount = ofLimits;
    for (int i = 0; i < limitCount; i++) {
      limits[i].clear();
    }
    isUnsure = false;
    isRecorded = false;
    another(newId);
  }

  private void another(long newId) {
    id = newId;
    sequence = 0;
    generation++;
  }

  /** The number of the present id; a request notes it to know later under which id it holds. */
  public int generation() {
    return generation;
  }

  /** Whether a message is under way. */
  public boolean isUnderWay() {
    return isUnderWay;
  }

  /**
   * Takes another id if the numbers of this one become too large to say. What runs is paid, as when
   * its record is forgotten: that is not renewed any more.
   */
  public void beginAnewIfFull(long nextId) {
    boolean isFull = false;
    for (int i = 0; i < limitCount; i++) {
      isFull |= limits[i].charged() > HeldAndCharged.MOST_CHARGED / 2;
    }
    if (isFull && isRecorded) {
      recordEnded(nextId);
    }
  }

  /**
   * Sets what each request of the next message asks for of a limit.
   *
   * @param units 0 of a limit that does not hold.
   */
  public void reserve(int limit, long units) {
    limits[limit].reserve = units;
  }

  /**
   * Writes the next message, which counts as sent now.
   *
   * @param requests that ask for units; 0 for none.
   * @param keep further requests whose units are wanted in hand.
   * @param wallNs the time of day, from any origin.
   */
  public void say(HoldMessage to, long requests, long keep, long nowNs, long wallNs) {
    assert !isUnderWay : "one message at a time";
    to.id = id;
    to.sequence = ++sequence;
    to.mayBeNew = !isRecorded;
    to.requests = requests;
    to.keep = keep;
    for (int i = 0; i < limitCount; i++) {
      limits[i].sent(isRecorded);
      to.held[i] = limits[i].held();
      to.charged[i] = limits[i].charged();
    }
    isUnderWay = true;
    sentBeforeNs = sentNs;
    sentNs = nowNs;
    sentWallNs = wallNs;
    askedNs = requests > 0 || keep > 0 ? nowNs : askedNs;
  }

  /** The message under way was never sent. */
  public void unsent() {
    isUnderWay = false;
    sentNs = sentBeforeNs;
  }

  /** There is no answer in time to the message under way. */
  public void lost() {
    isUnderWay = false;
    isUnsure = true;
    for (int i = 0; i < limitCount; i++) {
      limits[i].lost();
    }
  }

  /**
   * The message under way was answered in time.
   *
   * @param worst of its limits: forgotten, then older, then applied.
   * @param granted requests that got their units.
   * @param kept further requests whose units are in hand from now on.
   * @param nextId the id to take if the present one is forgotten.
   * @param wallNs the time of day, from the origin of {@link #say}.
   */
  public Answer answered(
      Applied worst, long granted, long kept, long nextId, long nowNs, long wallNs) {
    if (worst == Applied.FORGOTTEN) {
      isUnderWay = false;
      recordEnded(nextId);
      return Answer.ASK_AGAIN;
    }
    if (worst == Applied.OLDER || !isAlive(sentNs, sentWallNs, nowNs, wallNs)) {
      lost(); // a process that was stopped reads the answer before it looks at the time
      return Answer.UNUSABLE;
    }
    isUnderWay = false;
    isRecorded = true;
    isUnsure = false;
    appliedNs = sentNs;
    appliedWallNs = sentWallNs;
    for (int i = 0; i < limitCount; i++) {
      limits[i].applied(granted, kept);
    }
    return Answer.DECIDED;
  }

  /**
   * Takes the units of a request from those in hand, of all limits or of none. Not if the record
   * may have expired.
   *
   * @param units by limit; 0 of those that do not hold.
   * @return whether they were there.
   */
  public boolean take(long[] units, long nowNs, long wallNs) {
    boolean isThere = isRecorded && isAlive(appliedNs, appliedWallNs, nowNs, wallNs);
    for (int i = 0; isThere && i < limitCount; i++) {
      isThere = limits[i].inHand() >= units[i];
    }
    for (int i = 0; isThere && i < limitCount; i++) {
      limits[i].take(units[i]);
    }
    return isThere;
  }

  /**
   * Whether the record of a message that was applied lives for sure, by both clocks: the one may
   * have stood still while the machine was suspended.
   */
  private static boolean isAlive(long ofNs, long ofWallNs, long nowNs, long wallNs) {
    return Math.max(nowNs - ofNs, wallNs - ofWallNs) < ALIVE_NS;
  }

  /**
   * Charges a limit what a request cost, and releases what it held of it, or has it in hand.
   *
   * @param ofGeneration in which it was granted.
   * @param reserved units that it holds.
   * @param cost 0 or more.
   * @param mostInHand units of the limit that may be in hand; 0 releases all.
   * @return whether any units were released.
   */
  public boolean settle(int limit, int ofGeneration, long reserved, long cost, long mostInHand) {
    if (ofGeneration == generation) {
      return limits[limit].settle(reserved, cost, mostInHand);
    }
    limits[limit].settlePaid(reserved, cost);
    return false;
  }

  /** Units of a limit that are in hand. */
  public long inHand(int limit) {
    return limits[limit].inHand();
  }

  /** The fewest units of a limit that were in hand since the last look; another one begins. */
  public long look(int limit) {
    return limits[limit].look();
  }

  /** Releases units of a limit that are in hand, with the next message. */
  public void release(int limit, long units) {
    limits[limit].release(units);
  }

  /** Releases all that is in hand, with the next message. */
  public void releaseHand() {
    for (int i = 0; i < limitCount; i++) {
      limits[i].release(limits[i].inHand());
    }
  }

  private void recordEnded(long nextId) {
    for (int i = 0; i < limitCount; i++) {
      limits[i].recordEnded();
    }
    isRecorded = false;
    isUnsure = false;
    another(nextId);
  }

  /** Whether there is something that the store does not know, and it can be said now. */
  public boolean isUnsaid() {
    return !isUnderWay && hasNews();
  }

  private boolean hasNews() {
    boolean hasNews = isUnsure;
    for (int i = 0; i < limitCount; i++) {
      hasNews |= limits[i].isUnsaid();
    }
    return hasNews;
  }

  /** Whether a message is due that no request asks for: a renewal, or a repeat. */
  public boolean isDue(long nowNs) {
    if (isUnderWay) {
      return false;
    }
    // What a lost message was granted is free a life later; but what is held is to be renewed.
    isUnsure &= nowNs - askedNs < LIFE_NS || holdsAny();
    long sinceNs = nowNs - sentNs;
    return hasNews() ? sinceNs >= REPEAT_NS : sinceNs >= RENEWAL_NS && holdsAny();
  }

  private boolean holdsAny() {
    long held = 0;
    for (int i = 0; i < limitCount; i++) {
      held |= limits[i].held();
    }
    return held != 0;
  }

  /** Whether it holds nothing, and the store knows all of it. */
  public boolean isFree() {
    return !isUnderWay && !hasNews() && !holdsAny();
  }

  /** Whether it is free, and its record has expired. */
  public boolean isOver(long nowNs) {
    return isFree() && nowNs - sentNs >= LIFE_NS;
  }

  /** Units of a limit that are held, by requests or in hand; those that are paid do not count. */
  public long held(int limit) {
    return limits[limit].held();
  }
}
