package dev.weir.proxy.store;

import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.CheckCall;
import dev.weir.scripts.ScriptLimit;
import java.util.Arrays;

/**
 * A question to the store: what is to be done, with which budgets, and who is told of it. Begun
 * with one of {@link #check}, {@link #lease}, {@link #peek}, {@link #reset}, {@link #giveBack} and
 * {@link #debt}, which forget what it was before; then {@link #of}, then what differs from one
 * request at a cost of 1. {@link LoopStore#ask} copies it, so it may be filled anew as soon as that
 * returns. Used by one event loop.
 */
public final class StoreQuestion {
  /** The kind of a question. */
  public enum Operation {
    /** Grants and charges as many requests as there is room for, of those that are asked for. */
    CHECK,

    /** Grants and charges requests, and keeps some to be used later without asking. */
    LEASE,

    /** Says what a check would grant, and charges nothing. */
    PEEK,

    /** Forgets what was consumed. */
    RESET,

    /** Gives back what an earlier check or lease granted; nobody is told. */
    REFUND,

    /** Charges what has passed without a decision, once the store decides; nobody is told. */
    DEBT
  }

  private static final ScriptLimit[] NO_LIMITS = {};

  Operation operation;
  StoreCallback callback;
  long ticket;
  StoreKeys keys;
  int first;

  /** Keys, from the first on: of each limit, and of the record of a check once. */
  int keyCount;

  ScriptLimit[] limits;

  /** Units that one request takes of each limit. */
  final long[] costs = new long[CheckCall.MAX_LIMITS];

  /** Marks of a refund, by limit. */
  final long[] marks = new long[CheckCall.MAX_LIMITS];

  long requests;

  /** Further requests that a lease is to keep at most. */
  long keep;

  /**
   * How long a lease is to keep them at most; or how long what a refund gives back was kept, 0 if
   * it was not.
   */
  long lifeUs;

  /** The only server that a refund may go to; 0 for any. */
  long server;

  boolean isOnce;
  boolean coalesces;

  /** Whether others of the same moment follow, and its batch waits for them. */
  boolean isFollowed;

  long decidedAtUs;

  /** How long the answer may take; 0 for as long as the store's settings say. */
  long deadlineNs;

  /** Since when somebody waits; 0 for now. */
  long sinceNs;

  private StoreQuestion begin(Operation what, StoreCallback toTell, long named) {
    operation = what;
    callback = toTell;
    ticket = named;
    requests = 1;
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
   * @param callback is told, once, unless the question has its answer at once.
   * @param ticket names the question to it.
   */
  public StoreQuestion check(StoreCallback callback, long ticket) {
    return begin(Operation.CHECK, callback, ticket);
  }

  /**
   * Asks for requests that may pass now, and with {@link #keep} for some that may pass later: all
   * limits admit them, and none is a queue. Checks of the same budgets at the same costs that come
   * behind it in its batch are granted together with it, and what is kept is its own.
   *
   * @param callback is told, as of a check, of those that are wanted now.
   */
  public StoreQuestion lease(LeaseCallback callback, long ticket) {
    return begin(Operation.LEASE, callback, ticket);
  }

  /** Asks what {@link #check} would grant. */
  public StoreQuestion peek(StoreCallback callback, long ticket) {
    return begin(Operation.PEEK, callback, ticket);
  }

  /** Has forgotten what the budgets of some keys have consumed, and the records of checks once. */
  public StoreQuestion reset(StoreCallback callback, long ticket) {
    return begin(Operation.RESET, callback, ticket);
  }

  /**
   * Gives back, once, what a check or lease has granted and nobody has used. Where the server that
   * granted it is not to be reached, or another has taken its place, it is forgotten.
   *
   * @param server {@link StoreDecision#server()} of that decision; 0 for any.
   * @param decidedAtUs {@link StoreDecision#decidedAtUs()} of that decision.
   * @param lifeUs {@link StoreDecision#lifeUs()} for requests that were kept, 0 for those that were
   *     granted at once.
   */
  public StoreQuestion giveBack(long server, long decidedAtUs, long lifeUs) {
    begin(Operation.REFUND, null, 0);
    this.server = server;
    this.decidedAtUs = decidedAtUs;
    this.lifeUs = lifeUs;
    return this;
  }

  /** Charges what passes now without a decision, when the store decides again. */
  public StoreQuestion debt() {
    return begin(Operation.DEBT, null, 0);
  }

  /**
   * Says which budgets it is about, at a cost of 1 each.
   *
   * @param keys of the budgets; see {@link LoopStore#isOneCheck}.
   * @param first the first of them; there is one for each limit.
   * @param limits the same array as long as the rule stays as it is: questions about other ones are
   *     not for the same budgets.
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

  /** Says which keys are to be {@linkplain #reset}. */
  public StoreQuestion of(StoreKeys keys, int first, int count) {
    of(keys, first, NO_LIMITS);
    keyCount = count;
    return this;
  }

  /** Says what each request takes of every limit: 1 or more units. */
  public StoreQuestion cost(long units) {
    Arrays.fill(costs, 0, limits.length, units);
    return this;
  }

  /** Says what each request takes of one of the limits: 1 or more units. */
  public StoreQuestion cost(int limit, long units) {
    costs[limit] = units;
    return this;
  }

  /**
   * Is about so many requests, of which a part may be granted: {@link StoreDecision#granted}.
   *
   * @param count 1 or more, of a lease 0 or more.
   */
  public StoreQuestion upTo(long count) {
    requests = count;
    return this;
  }

  /**
   * Says how many further requests a {@link #lease} is to keep, if all that it wants now is
   * granted.
   *
   * @param count at most, 0 or more; {@code count * lifeUs} is below 2^53.
   * @param lifeUs for how long at most, from 1 to {@link ScriptLimit#MAX_LIFE_US}.
   */
  public StoreQuestion keep(long count, long lifeUs) {
    keep = count;
    this.lifeUs = lifeUs;
    return this;
  }

  /**
   * Says when, among all that was granted of a limit, that was which {@link #giveBack} gives back.
   *
   * @param mark {@link StoreDecision#keptMark} or {@link StoreDecision#grantedMark}; without one
   *     less may come back.
   */
  public StoreQuestion mark(int limit, long mark) {
    marks[limit] = mark;
    return this;
  }

  /**
   * Says that the check must not be charged twice: one key more, behind those of the limits, is
   * that of its record, under which a repeat gets the same grant again ({@link
   * StoreDecision#replayed}). A grant that comes too late is not given back, as the repeat will
   * have it.
   */
  public StoreQuestion once() {
    isOnce = true;
    coalesces = false;
    keyCount = limits.length + 1;
    return this;
  }

  /** Shares no check with others of the same budgets: each must know its own place in a queue. */
  public StoreQuestion alone() {
    coalesces = false;
    return this;
  }

  /**
   * Says that others follow at once, which are to travel with it where one call reaches them: its
   * batch waits for {@link LoopStore#sendGathered}.
   */
  public StoreQuestion followed() {
    isFollowed = true;
    return this;
  }

  /**
   * Says since when somebody has waited without being asked: its time counts from then, and so does
   * how long it may still be gathered with others.
   *
   * @param ns on the event loop's clock, 1 or more.
   */
  public StoreQuestion since(long ns) {
    sinceNs = ns;
    return this;
  }

  /** Says how long the answer may take. */
  public StoreQuestion within(long ns) {
    deadlineNs = ns;
    return this;
  }
}
