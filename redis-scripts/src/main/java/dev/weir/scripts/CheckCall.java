package dev.weir.scripts;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The argument of {@link LuaScript#CHECK}, written into a buffer that is reused. A check begins
 * with {@link #check}, {@link #checkOnce}, {@link #peek}, {@link #lease}, {@link #hold}, {@link
 * #reset}, {@link #refund} or {@link #debt}; the keys go to the server in the order of the limits,
 * one per limit, and behind them one for what is held of each limit that holds; those of one check
 * are different. Owned by one thread; allocates nothing, unless a calendar turns to its next
 * window, or a value is out of range ({@link IllegalArgumentException}) or there is no room ({@link
 * IllegalStateException}): then nothing is written. A check whose further limit is refused stays
 * begun; {@link #undo} removes it.
 */
public final class CheckCall {
  /** Keys of one call: what the script can unpack, and bounded work for the server. */
  public static final int MAX_KEYS = 1000;

  /** Limits of one check. */
  public static final int MAX_LIMITS = 8;

  private static final int CHECK = 1;
  private static final int PEEK = 2;
  private static final int RESET = 3;
  private static final int REFUND = 4;
  private static final int CHECK_ONCE = 5;
  private static final int DEBT = 6;
  private static final int LEASE = 7;
  private static final int HOLD = 8;

  /** The ways in which a limit of a hold takes granted units: see {@code check.lua}. */
  private static final int AT_ONCE = 0;

  private static final int HELD = 1;
  private static final int HELD_NEW = 2;

  /**
   * A refund's mark of a limit: there is none, so what comes back is what surely has not drained.
   */
  public static final long NO_MARK = -1;

  /*
   * byte    0    1        2          10           18
   *         | op | limits | requests | charged at | of each limit: 33 bytes, its cost: 8 bytes
   *
   * of a refund and a lease, which keeps up to so many:
   * byte    0    1        2          10             18     26
   *         | op | limits | requests | at, or keeps | life | of each limit as above; of a refund its
   *                                                          mark behind it: 8 bytes
   * of a hold:
   * byte    0    1        2          10      18     26       34         42
   *         | op | limits | requests | keeps | life | holder | sequence | of each limit as above,
   *                            how: 1 byte, units held: 8 bytes, units charged: 8 bytes
   */
  private static final int LIMITS = 1;
  private static final int REQUESTS = 2;
  private static final int CHARGED_AT = 10;
  private static final int HEAD_BYTES = 18;
  private static final int LIFE_BYTES = Double.BYTES;
  private static final int LIMIT_BYTES = ScriptLimit.BYTES + Double.BYTES;
  private static final int MARK_BYTES = Double.BYTES;
  private static final int HOLDER_BYTES = 3 * Double.BYTES;
  private static final int HELD_BYTES = 1 + 2 * Double.BYTES;

  private static final long NO_TIME = -1;

  private final int maxKeys;
  private final ByteBuffer buffer;
  private final int[] offsets;
  private int keys;
  private int checks;
  private int leases;
  private int holds;
  private long nowUs = NO_TIME;

  // As it was at the last mark.
  private int markedBytes;
  private int markedKeys;
  private int markedChecks;
  private int markedLeases;
  private int markedHolds;

  /**
   * @param maxKeys from 1 to {@link #MAX_KEYS}.
   */
  public CheckCall(int maxKeys) {
    Exact.range("maxKeys", maxKeys, 1, MAX_KEYS);
    this.maxKeys = maxKeys;
    buffer =
        ByteBuffer.allocate(maxKeys * (HEAD_BYTES + LIFE_BYTES + LIMIT_BYTES + MARK_BYTES))
            .order(ByteOrder.LITTLE_ENDIAN);
    offsets = new int[maxKeys];
  }

  /** Forgets all checks. The next ones are not limited by a calendar. */
  public CheckCall clear() {
    return clear(NO_TIME);
  }

  /**
   * Forgets all checks.
   *
   * @param nowUs the caller's Unix time, from 0 to 2^51, by which calendar windows are sent; it
   *     decides nothing.
   */
  public CheckCall clear(long nowUs) {
    Exact.range("nowUs", nowUs, NO_TIME, ScriptLimit.MAX_WINDOW_US);
    this.nowUs = nowUs;
    buffer.clear();
    keys = 0;
    checks = 0;
    leases = 0;
    holds = 0;
    mark();
    return this;
  }

  /** Marks the end of the last check, for {@link #undo}. */
  public void mark() {
    markedBytes = buffer.position();
    markedKeys = keys;
    markedChecks = checks;
    markedLeases = leases;
    markedHolds = holds;
  }

  /** Removes the checks that were begun since the last {@link #mark}. */
  public void undo() {
    buffer.position(markedBytes);
    keys = markedKeys;
    checks = markedChecks;
    leases = markedLeases;
    holds = markedHolds;
  }

  /**
   * Charges as many of the requests as all limits of the check admit, first come, first served.
   *
   * @param requests 1 or more.
   * @param cost units that each takes of the limit, 1 or more.
   * @return the index of the check, from 0: of its figures in {@link CheckReply}.
   */
  public int check(long requests, long cost, ScriptLimit limit) {
    return begin(CHECK, requests, cost, 0, limit);
  }

  /**
   * Like {@link #check} of one request, but if it is granted, the decision is kept for five minutes
   * under one further key, sent behind those of the check's limits: one per request that must not
   * be charged twice, and limit. A repeat of the same cost gets it again without a charge ({@link
   * CheckReply#replayed}), three times; then repeats are decided and charged like any request until
   * the five minutes are over. A check of another cost is not decided until then: {@link
   * CheckReply#OTHER_COST}. A refusal is not kept. Whoever refunds the charge also resets that key
   * in the same call, or the repeats would be free.
   */
  public int checkOnce(long cost, ScriptLimit limit) {
    room(2);
    final int check = begin(CHECK_ONCE, 1, cost, 0, limit);
    keys++;
    return check;
  }

  /** Asks what {@link #check} would grant, without charging. */
  public int peek(long requests, long cost, ScriptLimit limit) {
    return begin(PEEK, requests, cost, 0, limit);
  }

  /**
   * Charges requests as {@link #check} does and, if all of them are granted, keeps further ones,
   * which may be used without asking until their life is over: {@link CheckReply#kept}, {@link
   * CheckReply#lifeUs}.
   *
   * @param requests to be granted now, 0 or more.
   * @param keep the most to keep, 0 or more; {@code keep * lifeUs} is below 2^53.
   * @param lifeUs how long they are to be kept at most, from 1 to {@link ScriptLimit#MAX_LIFE_US}.
   * @param limit none that is a queue; a paced one is {@link ScriptLimit#leased}, or nothing is
   *     kept.
   */
  public int lease(long requests, long keep, long lifeUs, long cost, ScriptLimit limit) {
    Exact.range("requests", requests, 0, Exact.MAX);
    Exact.range("lifeUs", lifeUs, 1, ScriptLimit.MAX_LIFE_US);
    Exact.range("keep", keep, 0, Exact.MAX / lifeUs);
    leasable(limit);
    notConcurrency(limit);
    exact(Math.max(requests + keep, 1), cost);
    timed(limit);
    room(1);
    head(LEASE, 1, requests, keep);
    buffer.putDouble(lifeUs);
    limit(limit, cost);
    leases++;
    return checks++;
  }

  private static void leasable(ScriptLimit limit) {
    if (limit.isQueue()) {
      throw new IllegalArgumentException("limit: a queue (expected: one whose units can be kept)");
    }
  }

  /**
   * Says what a holder holds and has charged, and asks for more. Its limits follow, in their order,
   * one or more by {@link #alsoHeld}, which has a further key behind those of all limits, and
   * others by {@link #also}, which charges what is granted at once. Nothing is granted if the store
   * does not know the holder, or knows a later message: {@link CheckReply#holdStatus}.
   *
   * @param requests to be granted, 0 or more: all limits admit one, or none does.
   * @param keep further requests whose units are to be held ahead at most, 0 or more.
   * @param lifeUs how long the store keeps the holder's numbers, from 1 to {@link
   *     ScriptLimit#MAX_LIFE_US}; after it what is held counts as charged.
   * @param holder who holds; any bytes that no other holder of these budgets has.
   * @param sequence from 1, higher in each message of a holder.
   */
  public int hold(long requests, long keep, long lifeUs, long holder, long sequence) {
    Exact.range("requests", requests, 0, Exact.MAX);
    Exact.range("lifeUs", lifeUs, 1, ScriptLimit.MAX_LIFE_US);
    Exact.range("keep", keep, 0, Exact.MAX - requests);
    Exact.range("sequence", sequence, 1, Exact.MAX);
    room(2);
    head(HOLD, 0, requests, keep);
    buffer.putDouble(lifeUs).putLong(holder).putDouble(sequence);
    holds++;
    return checks++;
  }

  /**
   * A further limit of the hold begun last, of which units are held.
   *
   * @param reserve units that each request takes until it ends, 1 or more.
   * @param units that the holder holds, 0 or more.
   * @param charged units that the holder has charged since it began, 0 or more.
   * @param isNew whether the store may have no record of the holder; then both are 0.
   */
  public CheckCall alsoHeld(
      ScriptLimit limit, long reserve, long units, long charged, boolean isNew) {
    Exact.range("units", units, 0, isNew ? 0 : Exact.MAX);
    Exact.range("charged", charged, 0, isNew ? 0 : Exact.MAX);
    return alsoHolding(limit, reserve, isNew ? HELD_NEW : HELD, units, charged);
  }

  private CheckCall alsoHolding(ScriptLimit limit, long cost, int how, long units, long charged) {
    final int at = begunLast();
    if (buffer.get(at) != HOLD) {
      throw new IllegalStateException("alsoHeld: no hold to be limited further");
    }
    if (limit.isQueue()) {
      throw new IllegalArgumentException("limit: a queue (expected: one whose units can be held)");
    }
    if (how == AT_ONCE) {
      notConcurrency(limit);
    }
    exact(most(at), cost);
    timed(limit);
    room(how == AT_ONCE ? 1 : 2);
    limit(limit, cost);
    buffer.put((byte) how).putDouble(units).putDouble(charged);
    keys += how == AT_ONCE ? 0 : 1;
    counted(at);
    return this;
  }

  private static void notConcurrency(ScriptLimit limit) {
    if (limit.isConcurrency()) {
      throw new IllegalArgumentException("limit: concurrency (expected: one that is charged)");
    }
  }

  /**
   * Makes the peek begun last show what is held of one of its limits, too: {@link
   * CheckReply#heldUnits}. A key of that stands behind those of all limits, in their order.
   *
   * @param limit from 0; one that was added already, and no queue.
   */
  public CheckCall withHeld(int limit) {
    if (checks == 0 || buffer.get(offsets[checks - 1]) != PEEK) {
      throw new IllegalStateException("withHeld: no peek");
    }
    final int at = offsets[checks - 1];
    Exact.range("limit", limit, 0, buffer.get(at + LIMITS) - 1);
    final long holding = (long) buffer.getDouble(at + CHARGED_AT);
    if ((holding & 1L << limit) == 0) {
      room(1);
      keys++;
      buffer.putDouble(at + CHARGED_AT, holding | 1L << limit);
    }
    return this;
  }

  /**
   * Gives {@code units} back, as far as the charge still counts; a queue takes nothing back.
   *
   * @param chargedAtUs {@link CheckReply#nowUs()} of the charge.
   */
  public int refund(long units, long chargedAtUs, ScriptLimit limit) {
    return refund(units, chargedAtUs, 0, limit, NO_MARK);
  }

  /**
   * Gives {@code units} of a lease back, as far as they still count.
   *
   * @param chargedAtUs {@link CheckReply#nowUs()} of the lease.
   * @param lifeUs {@link CheckReply#lifeUs} for what was kept, 0 for what was granted at once.
   * @param mark {@link CheckReply#keptMark} or {@link CheckReply#grantedMark}, or {@link #NO_MARK}.
   */
  public int refund(long units, long chargedAtUs, long lifeUs, ScriptLimit limit, long mark) {
    Exact.range("chargedAtUs", chargedAtUs, 0, Exact.MAX);
    Exact.range("lifeUs", lifeUs, 0, ScriptLimit.MAX_LIFE_US);
    marked(mark);
    exact(1, units);
    notConcurrency(limit);
    timed(limit);
    room(1);
    head(REFUND, 1, 1, chargedAtUs);
    buffer.putDouble(lifeUs);
    limit(limit, units);
    buffer.putDouble(mark);
    return checks++;
  }

  private static void marked(long mark) {
    Exact.range("mark", mark, NO_MARK, CheckReply.COUNTS - 1);
  }

  /**
   * Charges requests that have passed undecided, as if they had been charged then: as much as still
   * counts, and fits.
   *
   * @param passedAtUs when they passed, in the time of the server.
   */
  public int debt(long requests, long cost, long passedAtUs, ScriptLimit limit) {
    Exact.range("passedAtUs", passedAtUs, 0, Exact.MAX);
    return begin(DEBT, requests, cost, passedAtUs, limit);
  }

  /**
   * Forgets what was consumed.
   *
   * @param count of keys, from 1 to {@link #MAX_LIMITS}.
   */
  public int reset(int count) {
    Exact.range("keys", count, 1, MAX_LIMITS);
    room(count);
    head(RESET, count, 1, 0);
    keys += count;
    return checks++;
  }

  private int begin(int op, long requests, long cost, long chargedAtUs, ScriptLimit limit) {
    exact(requests, cost);
    if (op != PEEK) {
      notConcurrency(limit);
    }
    timed(limit);
    room(1);
    head(op, 1, requests, chargedAtUs);
    limit(limit, cost);
    return checks++;
  }

  private void head(int op, int limits, long requests, long chargedAtUs) {
    final int at = buffer.position();
    offsets[checks] = at;
    buffer.put(at, (byte) op);
    buffer.put(at + LIMITS, (byte) limits);
    buffer.putDouble(at + REQUESTS, requests);
    buffer.putDouble(at + CHARGED_AT, chargedAtUs);
    buffer.position(at + HEAD_BYTES);
  }

  private void limit(ScriptLimit limit, long cost) {
    limit.copyTo(buffer, nowUs);
    buffer.putDouble(cost);
    keys++;
  }

  /**
   * A further limit of the check begun last: all of its limits admit a request, or none does.
   *
   * @param cost units that each request takes of this limit, 1 or more; of a refund, the units that
   *     go back to it.
   */
  public CheckCall also(ScriptLimit limit, long cost) {
    return also(limit, cost, NO_MARK);
  }

  /**
   * A further limit of the refund begun last.
   *
   * @param cost units that go back to it.
   * @param mark as of {@link #refund(long, long, long, ScriptLimit, long)}.
   */
  public CheckCall also(ScriptLimit limit, long cost, long mark) {
    marked(mark);
    final int at = begunLast();
    final int op = buffer.get(at);
    if (op == HOLD) {
      return alsoHolding(limit, cost, AT_ONCE, 0, 0);
    }
    exact(most(at), cost);
    timed(limit);
    room(1);
    if (op == LEASE) {
      leasable(limit);
    }
    if (op != PEEK) {
      notConcurrency(limit);
    }
    limit(limit, cost);
    if (op == REFUND) {
      buffer.putDouble(mark);
    }
    counted(at);
    return this;
  }

  /** The place of the check that was begun last, to which a limit may be added. */
  private int begunLast() {
    if (checks == 0 || buffer.get(offsets[checks - 1]) == RESET) {
      throw new IllegalStateException("also: no check to be limited further");
    }
    final int at = offsets[checks - 1];
    if (buffer.get(at + LIMITS) == MAX_LIMITS) {
      throw new IllegalStateException("limits: 9 (expected: at most " + MAX_LIMITS + ")");
    }
    return at;
  }

  private void counted(int at) {
    buffer.put(at + LIMITS, (byte) (buffer.get(at + LIMITS) + 1));
  }

  /** The most requests that the check there may charge. */
  private long most(int at) {
    final long requests = (long) buffer.getDouble(at + REQUESTS);
    return buffer.get(at) >= LEASE
        ? Math.max(requests + (long) buffer.getDouble(at + CHARGED_AT), 1)
        : requests;
  }

  /**
   * Adds requests to an earlier check, peek, lease or hold of this call: for those that came with
   * the same identity, limits and costs meanwhile, and are to pass now.
   *
   * @param check what {@link #check} returned.
   */
  public CheckCall more(int check, long requests) {
    Exact.range("check", check, 0, checks - 1L);
    final int at = offsets[check];
    if (buffer.get(at) > PEEK && buffer.get(at) < LEASE) {
      throw new IllegalArgumentException("check: " + check + " (expected: one of many requests)");
    }
    Exact.range("requests", requests, 1, Exact.MAX);
    final long total = (long) buffer.getDouble(at + REQUESTS) + requests;
    final int op = buffer.get(at);
    final long most = total + (op >= LEASE ? (long) buffer.getDouble(at + CHARGED_AT) : 0);
    final int limitsAt =
        at + HEAD_BYTES + (op == LEASE ? LIFE_BYTES : op == HOLD ? HOLDER_BYTES : 0);
    final int limitBytes = LIMIT_BYTES + (op == HOLD ? HELD_BYTES : 0);
    for (int limit = 0; limit < buffer.get(at + LIMITS); limit++) {
      final int costAt = limitsAt + limit * limitBytes + ScriptLimit.BYTES;
      exact(most, (long) buffer.getDouble(costAt));
    }
    buffer.putDouble(at + REQUESTS, total);
    return this;
  }

  private void timed(ScriptLimit limit) {
    if (nowUs == NO_TIME && limit.needsTime()) {
      throw new IllegalStateException("clear: no time (expected: one, for a calendar window)");
    }
  }

  private void room(int count) {
    if (keys + count > maxKeys) {
      throw new IllegalStateException(
          "keys: " + (keys + count) + " (expected: at most " + maxKeys + ")");
    }
  }

  private static void exact(long requests, long cost) {
    if (Exact.product(requests, cost) == 0) {
      throw new IllegalArgumentException(
          "requests: "
              + requests
              + ", cost: "
              + cost
              + " (expected: 1 or more each, and together at most "
              + Exact.MAX
              + ")");
    }
  }

  /** Keys of all checks so far, to be sent with them. */
  public int keyCount() {
    return keys;
  }

  public int checkCount() {
    return checks;
  }

  /** The number of checks that are leases. */
  public int leaseCount() {
    return leases;
  }

  /** The number of checks that are holds. */
  public int holdCount() {
    return holds;
  }

  /** The array behind the argument: {@link #length} bytes from 0; changes with the next check. */
  public byte[] array() {
    return buffer.array();
  }

  public int length() {
    return buffer.position();
  }
}
