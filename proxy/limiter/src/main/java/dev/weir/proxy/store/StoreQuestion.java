package dev.weir.proxy.store;

import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.CheckCall;
import dev.weir.scripts.ScriptLimit;
import java.util.Arrays;

/**
 * A question to the store: an operation, its budgets, and a callback. Begins with one of {@link
 * #check}, {@link #lease}, {@link #hold}, {@link #peek}, {@link #reset}, {@link #giveBack} and
 * {@link #debt}, which clear it; then {@link #of}, then what differs from one request at a cost of
 * 1. {@link LoopStore#ask} copies it, so it may be filled again as soon as that returns. Used by
 * one event loop.
 */
public final class StoreQuestion {
  /** The kind of a question. */
  public enum Operation {
    /** Grants and charges as many of the wanted requests as there is budget for. */
    CHECK,

    /** Grants and charges requests, and leases units for later ones. */
    LEASE,

    /**
     * Says what a holder holds and has charged, and grants requests whose units are held until they
     * end.
     */
    HOLD,

    /** Says what a check would grant, and charges nothing. */
    PEEK,

    /** Resets budgets. */
    RESET,

    /** Returns what an earlier check or lease granted; without a callback. */
    REFUND,

    /**
     * Charges requests that passed without a decision, once the store decides; without a callback.
     */
    DEBT
  }

  private static final ScriptLimit[] NO_LIMITS = {};

  Operation operation;
  StoreCallback callback;
  long ticket;
  StoreKeys keys;
  int first;

  /** Keys, from the first on: one for each limit, and one for the record of an idempotency key. */
  int keyCount;

  ScriptLimit[] limits;

  /** Units that one request takes of each limit. */
  final long[] costs = new long[CheckCall.MAX_LIMITS];

  /** Marks of a refund, by limit. */
  final long[] marks = new long[CheckCall.MAX_LIMITS];

  long requests;

  /** A bit for each limit that holds, and for each of these whose record may be new. */
  int holding;

  int isNew;

  /** The numbers of a holder, by limit: units that it holds, and has charged since it began. */
  final long[] units = new long[CheckCall.MAX_LIMITS];

  final long[] charged = new long[CheckCall.MAX_LIMITS];

  long holder;
  long sequence;

  /** Further requests that a lease or a hold is for at most. */
  long keep;

  /**
   * The longest life of a lease, or the life of a hold's records; or the life that the units of a
   * refund had, 0 if they were not leased.
   */
  long lifeUs;

  /** The only server that a refund may go to; 0 for any. */
  long server;

  boolean isOnce;
  boolean coalesces;

  /** Whether other questions follow at once, so that its batch waits for them. */
  boolean isFollowed;

  long decidedAtUs;

  /** The question's own deadline; 0 for the one in the store's settings. */
  long deadlineNs;

  /** Since when the request waits; 0 for now. */
  long sinceNs;

  private StoreQuestion begin(Operation what, StoreCallback toTell, long named) {
    operation = what;
    callback = toTell;
    ticket = named;
    requests = 1;
    holding = 0;
    isNew = 0;
    keep = 0;
    lifeUs = 0;
    server = 0;
    isOnce = false;
    coalesces = what == Operation.CHECK;
    isFollowed = false;
    decidedAtUs = 0;
    deadlineNs = 0;
    sinceNs = 0;
    return this;
  }

  /**
   * Asks whether a request may pass: whether all limits of one check admit it.
   *
   * @param callback is called once, unless the question fails at once.
   * @param ticket names the question to the callback.
   */
  public StoreQuestion check(StoreCallback callback, long ticket) {
    return begin(Operation.CHECK, callback, ticket);
  }

  /**
   * Asks for requests that may pass now, and with {@link #keep} for a lease: all limits must admit
   * them, and none may be a queue. Checks of the same budgets at the same costs behind it in its
   * batch are granted together with it; the lease is its own.
   *
   * @param callback is called, as for a check, for the requests that are wanted now.
   */
  public StoreQuestion lease(LeaseCallback callback, long ticket) {
    return begin(Operation.LEASE, callback, ticket);
  }

  /**
   * Says what a {@link #holder} holds and has charged, and asks for requests whose units are held
   * until it says otherwise: all limits must admit them, and none may be a queue. {@link #cost}
   * says what each takes: of a limit that is {@link #held} its reserve, of others what is charged
   * at once. It shares no check with other questions. Nothing of a grant that comes too late is
   * refunded, and nothing becomes a debt: the holder's next message says what it holds.
   *
   * @param callback is called once, also if nothing is wanted, unless the question fails at once.
   */
  public StoreQuestion hold(StoreCallback callback, long ticket) {
    return begin(Operation.HOLD, callback, ticket);
  }

  /**
   * Sets who holds.
   *
   * @param id that no other holder of these budgets has.
   * @param number from 1, higher in each message of a holder.
   * @param recordLifeUs how long the store keeps its numbers after this message, from 1 to {@link
   *     ScriptLimit#MAX_LIFE_US}.
   */
  public StoreQuestion holder(long id, long number, long recordLifeUs) {
    holder = id;
    sequence = number;
    lifeUs = recordLifeUs;
    return this;
  }

  /**
   * Sets what the holder holds of one limit; after {@link #of}.
   *
   * @param held units that it holds now, 0 or more.
   * @param total units that it has charged since it began, 0 or more.
   * @param mayBeNew whether the store may have no record of it; then both are 0.
   */
  public StoreQuestion held(int limit, long held, long total, boolean mayBeNew) {
    holding |= 1 << limit;
    isNew |= mayBeNew ? 1 << limit : 0;
    units[limit] = held;
    charged[limit] = total;
    return this;
  }

  /** Makes a {@link #peek} count what is held of one limit, too; after {@link #of}. */
  public StoreQuestion withHeld(int limit) {
    holding |= 1 << limit;
    return this;
  }

  boolean holds(int limit) {
    return (holding & 1 << limit) != 0;
  }

  /** The number of its keys in a batch. */
  int batchKeyCount() {
    return keyCount + Integer.bitCount(holding);
  }

  /** Bytes of its keys in a batch, or a few more. */
  int batchKeyBytes() {
    int bytes = keys.length(first, keyCount);
    for (int i = 0; holding != 0 && i < limits.length; i++) {
      bytes += holds(i) ? BatchHolds.heldKeyBytes(keys.length(first + i)) : 0;
    }
    return bytes;
  }

  /** Asks what {@link #check} would grant. */
  public StoreQuestion peek(StoreCallback callback, long ticket) {
    return begin(Operation.PEEK, callback, ticket);
  }

  /** Resets the budgets of some keys, and the records of idempotency keys. */
  public StoreQuestion reset(StoreCallback callback, long ticket) {
    return begin(Operation.RESET, callback, ticket);
  }

  /**
   * Returns, once, what a check or lease has granted and no request has used. If the server that
   * granted it cannot be reached, or was replaced, nothing is returned.
   *
   * @param server {@link StoreDecision#server()} of that decision; 0 for any.
   * @param decidedAtUs {@link StoreDecision#decidedAtUs()} of that decision.
   * @param lifeUs {@link StoreDecision#lifeUs()} for leased units, 0 for those that were granted at
   *     once.
   */
  public StoreQuestion giveBack(long server, long decidedAtUs, long lifeUs) {
    begin(Operation.REFUND, null, 0);
    this.server = server;
    this.decidedAtUs = decidedAtUs;
    this.lifeUs = lifeUs;
    return this;
  }

  /** Charges a request that passes now without a decision, when the store decides again. */
  public StoreQuestion debt() {
    return begin(Operation.DEBT, null, 0);
  }

  /**
   * Sets the budgets, at a cost of 1 each.
   *
   * @param keys of the budgets; see {@link LoopStore#isOneCheck}.
   * @param first of the keys; there is one for each limit.
   * @param limits the same array as long as the rule stays the same: questions with different
   *     arrays are not for the same budgets.
   */
  public StoreQuestion of(StoreKeys keys, int first, ScriptLimit[] limits) {
    this.keys = keys;
    this.first = first;
    this.limits = limits;
    keyCount = limits.length;
    if (operation == Operation.REFUND) {
      Arrays.fill(marks, 0, limits.length, CheckCall.NO_MARK);
    }
    return cost(1);
  }

  /** Sets the keys to be {@linkplain #reset}. */
  public StoreQuestion of(StoreKeys keys, int first, int count) {
    of(keys, first, NO_LIMITS);
    keyCount = count;
    return this;
  }

  /** Sets what each request takes of every limit: 1 or more units. */
  public StoreQuestion cost(long units) {
    Arrays.fill(costs, 0, limits.length, units);
    return this;
  }

  /** Sets what each request takes of one limit: 1 or more units. */
  public StoreQuestion cost(int limit, long units) {
    costs[limit] = units;
    return this;
  }

  /**
   * Sets the number of requests, of which a part may be granted: {@link StoreDecision#granted}.
   *
   * @param count 1 or more, of a lease and a hold 0 or more.
   */
  public StoreQuestion upTo(long count) {
    requests = count;
    return this;
  }

  /**
   * Sets how many further requests a {@link #lease} or {@link #hold} is for, if all that are wanted
   * now are granted.
   *
   * @param count at most, 0 or more; {@code count * lifeUs} is below 2^53.
   * @param lifeUs its longest life, or that of a hold's records, from 1 to {@link
   *     ScriptLimit#MAX_LIFE_US}.
   */
  public StoreQuestion keep(long count, long lifeUs) {
    keep = count;
    this.lifeUs = lifeUs;
    return this;
  }

  /**
   * Sets where, among all grants of a limit, the one was that {@link #giveBack} returns.
   *
   * @param mark {@link StoreDecision#keptMark} or {@link StoreDecision#grantedMark}; without one
   *     less may be returned.
   */
  public StoreQuestion mark(int limit, long mark) {
    marks[limit] = mark;
    return this;
  }

  /**
   * Makes the check idempotent: one more key, behind those of the limits, names its record, by
   * which a repeat gets the same grant ({@link StoreDecision#replayed}). A grant that comes too
   * late is not refunded, as the repeat will get it.
   */
  public StoreQuestion once() {
    isOnce = true;
    coalesces = false;
    keyCount = limits.length + 1;
    return this;
  }

  /**
   * Shares no check with other questions for the same budgets, as each needs its own slot in a
   * queue.
   */
  public StoreQuestion alone() {
    coalesces = false;
    return this;
  }

  /**
   * Says that other questions follow at once, which go in the same call if one reaches them: its
   * batch waits for {@link LoopStore#sendGathered}.
   */
  public StoreQuestion followed() {
    isFollowed = true;
    return this;
  }

  /**
   * Sets since when the request waits; its latency and its deadline count from then.
   *
   * @param ns by the event loop's clock, 1 or more.
   */
  public StoreQuestion since(long ns) {
    sinceNs = ns;
    return this;
  }

  /** Sets the question's own deadline. */
  public StoreQuestion within(long ns) {
    deadlineNs = ns;
    return this;
  }
}
