package dev.weir.proxy.store;

import dev.weir.proxy.store.StoreQuestion.Operation;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.CheckCall;
import dev.weir.scripts.CheckReply;
import dev.weir.scripts.ScriptLimit;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * The checks of a batch, of all kinds: checks, leases, peeks, resets and debts, or its refunds;
 * each with its budgets. Requests that check the same budgets at the same costs share one. Reused
 * with its batch.
 */
final class BatchChecks {
  /** The most checks: each has one key or more. */
  static final int MAX_KEYS = 256;

  private static final int BUCKETS = 2 * MAX_KEYS;

  private final CheckCall call = new CheckCall(MAX_KEYS);
  private final StoreKeys keys = new StoreKeys(MAX_KEYS, 1024);

  /** Units that a request takes of its limit, by key. */
  private final long[] costs = new long[MAX_KEYS];

  private final Operation[] operations = new Operation[MAX_KEYS];

  /** The first key of each check. */
  private final int[] firstKeys = new int[MAX_KEYS];

  private final int[] keyCounts = new int[MAX_KEYS];
  private final boolean[] isOnce = new boolean[MAX_KEYS];
  private final boolean[] isMarked = new boolean[MAX_KEYS];
  private final ScriptLimit[][] limits = new ScriptLimit[MAX_KEYS][];

  /** The number of requests of each check; 0 for a debt that was moved to another batch. */
  private final long[] asked = new long[MAX_KEYS];

  /** Times at which the requests of a debt passed, by check, by the event loop's clock. */
  private final long[] passedNs = new long[MAX_KEYS];

  /** The index of the lease of each check; null, as the next one, until there is a lease. */
  private int[] leaseIndexes;

  /** The requests that the lease of each check is to be for at most. */
  private long[] keeps;

  /** The life of each lease; of a refund, that of the lease whose units are returned, or 0. */
  private long[] livesUs;

  /** The only server that may take each refund, 0 for any; null, as the next two, until needed. */
  private long[] servers;

  /** The times at which what each refund returns was granted, on its server's clock. */
  private long[] decidedAtUs;

  /** Marks of refunds, by key. */
  private long[] marks;

  /** Null until there is a hold, or a peek of limits that hold. */
  private BatchHolds holds;

  /** Indexes of checks plus one, by the hash of a key, in probing order. */
  private final short[] buckets = new short[BUCKETS];

  /** Whether any bucket is set: only checks and leases set them. */
  private boolean hasBuckets;

  /**
   * Clears everything, and keeps the memory.
   *
   * @param unixUs the time for calendar windows.
   */
  void begin(long unixUs) {
    Arrays.fill(limits, 0, count(), null);
    if (hasBuckets) {
      Arrays.fill(buckets, (short) 0);
      hasBuckets = false;
    }
    call.clear(unixUs);
    keys.clear();
  }

  /**
   * The check for a question: an existing one if it may be shared, else a new one; counts its
   * requests. One that throws adds nothing: the call's keys and argument agree all the same.
   */
  int add(StoreQuestion question) {
    int keyCount = keys.count();
    boolean isAdded = false;
    call.mark();
    try {
      int check = added(question);
      isAdded = true;
      return check;
    } finally {
      if (!isAdded) {
        call.undo();
        keys.removeFrom(keyCount);
      }
    }
  }

  private int added(StoreQuestion question) {
    return switch (question.operation) {
      case CHECK -> question.coalesces ? shared(question) : begun(question);
      case LEASE, HOLD, PEEK, RESET -> begun(question);
      case REFUND -> begunRefund(question);
      case DEBT -> throw withoutCallback(question.operation);
    };
  }

  private static IllegalArgumentException withoutCallback(Operation operation) {
    return new IllegalArgumentException(
        "operation: " + operation + " (expected: one with a callback)");
  }

  /** The check or lease that the requests of a check can join, or a new one. */
  private int shared(StoreQuestion question) {
    int bucket = firstBucket(question);
    while (buckets[bucket] != 0) {
      int candidate = buckets[bucket] - 1;
      if (isSame(candidate, question)
          && !(question.isFollowed && isOvertaken(candidate, question))) {
        call.more(candidate, question.requests);
        asked[candidate] += question.requests;
        return candidate;
      }
      bucket = bucket + 1 & BUCKETS - 1;
    }
    int check = begun(question);
    setBucket(bucket, check);
    return check;
  }

  private static int firstBucket(StoreQuestion question) {
    long hash = question.keys.hash(question.first);
    return (int) (hash ^ hash >>> 32) & BUCKETS - 1;
  }

  /** Lets later checks of the same budgets join a lease. */
  private void share(int lease, StoreQuestion question) {
    int bucket = firstBucket(question);
    while (buckets[bucket] != 0) {
      if (isSame(buckets[bucket] - 1, question)) {
        break; // they come behind those of an earlier check
      }
      bucket = bucket + 1 & BUCKETS - 1;
    }
    setBucket(bucket, lease);
  }

  private void setBucket(int bucket, int check) {
    buckets[bucket] = (short) (check + 1);
    hasBuckets = true;
  }

  /**
   * Whether later checks of the batch charge the same budgets as a question. To join this check
   * would be to be decided before those, which only questions without an order may.
   */
  private boolean isOvertaken(int check, StoreQuestion question) {
    for (int key = firstKeys[check] + keyCounts[check]; key < keys.count(); key++) {
      for (int i = 0; i < question.keyCount; i++) {
        if (keys.holds(key, question.keys, question.first + i, 1)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean isSame(int check, StoreQuestion question) {
    int firstKey = firstKeys[check];
    int count = question.keyCount;
    return limits[check] == question.limits
        && (count == 1
            ? costs[firstKey] == question.costs[0]
            : Arrays.equals(costs, firstKey, firstKey + count, question.costs, 0, count))
        && keys.holds(firstKey, question.keys, question.first, count);
  }

  private int begun(StoreQuestion question) {
    long requests = question.requests;
    long cost = question.costs[0];
    ScriptLimit[] of = question.limits;
    if (question.operation == Operation.LEASE) {
      int lease = begunLease(question);
      share(lease, question);
      return lease;
    }
    if (question.operation == Operation.CHECK && !question.isOnce && hasMarks(of)) {
      return begunLease(question);
    }
    return begin(
        switch (question.operation) {
          case CHECK ->
              question.isOnce ? call.checkOnce(cost, of[0]) : call.check(requests, cost, of[0]);
          case PEEK -> call.peek(requests, cost, of[0]);
          case RESET -> call.reset(question.keyCount);
          case HOLD -> holds().begin(call, question, keys.count());
          case LEASE, REFUND, DEBT -> throw withoutCallback(question.operation);
        },
        question);
  }

  /** Whether a lease of these limits is possible, and its answer has marks. */
  private static boolean hasMarks(ScriptLimit[] of) {
    boolean isAny = false;
    for (ScriptLimit limit : of) {
      if (limit.isQueue()) {
        return false;
      }
      isAny |= limit.isMarked();
    }
    return isAny;
  }

  /**
   * Adds a lease, or a check in the form of a lease without units, as the answer then has marks.
   */
  private int begunLease(StoreQuestion question) {
    if (leaseIndexes == null) {
      leaseIndexes = new int[MAX_KEYS];
      keeps = new long[MAX_KEYS];
    }
    makeLives();
    int check =
        call.lease(
            question.requests,
            question.keep,
            Math.max(question.lifeUs, 1),
            question.costs[0],
            question.limits[0]);
    leaseIndexes[check] = call.leaseCount() - 1;
    keeps[check] = question.keep;
    livesUs[check] = question.lifeUs;
    begin(check, question);
    isMarked[check] = true;
    return check;
  }

  private BatchHolds holds() {
    if (holds == null) {
      holds = new BatchHolds();
    }
    return holds;
  }

  private void makeLives() {
    if (livesUs == null) {
      livesUs = new long[MAX_KEYS];
    }
  }

  /**
   * Returns what a check granted to some requests. They are one refund: time has returned a part of
   * what was granted to them together.
   */
  private int begunRefund(StoreQuestion question) {
    if (servers == null) {
      servers = new long[MAX_KEYS];
      decidedAtUs = new long[MAX_KEYS];
      marks = new long[MAX_KEYS];
    }
    makeLives();
    int refund =
        call.refund(
            question.requests * question.costs[0],
            question.decidedAtUs,
            question.lifeUs,
            question.limits[0],
            question.marks[0]);
    servers[refund] = question.server;
    decidedAtUs[refund] = question.decidedAtUs;
    livesUs[refund] = question.lifeUs;
    System.arraycopy(question.marks, 0, marks, keys.count(), question.limits.length);
    return begin(refund, question);
  }

  /**
   * Adds a debt, charged as far as it still counts.
   *
   * @param atNs when its requests passed, by the event loop's clock.
   * @param atUs the same moment in the server's time, or a little earlier.
   */
  void owe(StoreQuestion debt, long atNs, long atUs) {
    int check = begin(call.debt(debt.requests, debt.costs[0], atUs, debt.limits[0]), debt);
    passedNs[check] = atNs;
  }

  private int begin(int check, StoreQuestion question) {
    ScriptLimit[] of = question.limits;
    int firstKey = keys.count();
    boolean isRefund = question.operation == Operation.REFUND;
    boolean isHold = question.operation == Operation.HOLD;
    for (int i = 0; i < of.length; i++) {
      if (i > 0 && isRefund) {
        call.also(of[i], question.requests * question.costs[i], question.marks[i]);
      } else if (i > 0 && !isHold) {
        call.also(of[i], question.costs[i]);
      }
      costs[firstKey + i] = question.costs[i];
    }
    for (int i = 0; i < of.length && question.operation == Operation.PEEK; i++) {
      if (question.holds(i)) {
        call.withHeld(i);
      }
    }
    for (int i = 0; i < question.keyCount; i++) {
      keys.copy(question.keys, question.first + i);
    }
    if (question.holding != 0 || holds != null) {
      holds().addKeys(check, question, keys);
    }
    operations[check] = question.operation;
    firstKeys[check] = firstKey;
    keyCounts[check] = question.keyCount;
    isOnce[check] = question.isOnce;
    isMarked[check] = false;
    limits[check] = of;
    asked[check] = question.requests;
    return check;
  }

  int count() {
    return call.checkCount();
  }

  StoreKeys keys() {
    return keys;
  }

  int firstKey(int check) {
    return firstKeys[check];
  }

  /** Units that a request takes of one of a check's limits. */
  long cost(int check, int limit) {
    return costs[firstKeys[check] + limit];
  }

  /** Whether the check charges requests that wait for it. */
  boolean charges(int check) {
    return operations[check] == Operation.CHECK || isLease(check);
  }

  boolean isLease(int check) {
    return operations[check] == Operation.LEASE;
  }

  /** Whether the answer has the marks of a grant. */
  boolean isMarked(int check) {
    return isMarked[check];
  }

  boolean isHold(int check) {
    return operations[check] == Operation.HOLD;
  }

  /** Whether the answer says how many units are held. */
  boolean tellsHeld(int check) {
    return holds != null && holds.holding(check) != 0;
  }

  int holdCount() {
    return call.holdCount();
  }

  /** The index of the check's hold in the batch. */
  int holdIndex(int check) {
    return holds.index(check);
  }

  /** The number of leases, and of checks in the form of leases. */
  int leaseCount() {
    return call.leaseCount();
  }

  /** The index of the check's lease in the batch. */
  int leaseIndex(int check) {
    return leaseIndexes[check];
  }

  /** Whether less was granted or leased than all requests of the check asked for. */
  boolean isShort(int check, CheckReply reply, int entry) {
    return reply.granted(entry) < asked[check]
        || isLease(check) && keeps[check] > 0 && reply.kept(leaseIndexes[check]) == 0;
  }

  int limitCount(int check) {
    return limits[check].length;
  }

  /** The longest life of the lease of a check. */
  long lifeUs(int check) {
    return livesUs[check];
  }

  /**
   * Whether a grant that came too late is refunded. A queue's is not, as the requests behind have
   * their slots. That of a check with an idempotency key is not, as a repeat gets it.
   */
  boolean isGivenBack(int check) {
    return charges(check) && !isOnce[check] && limits[check][0].outflowUs(1) == 0;
  }

  /** Requests of a debt that the check charges; 0 for other checks. */
  long owed(int check) {
    return operations[check] == Operation.DEBT ? asked[check] : 0;
  }

  /** When the requests of a debt passed, by the event loop's clock. */
  long passedNs(int check) {
    return passedNs[check];
  }

  /** Marks a debt or refund as moved to another batch. */
  void moved(int check) {
    asked[check] = 0;
  }

  /** Whether each of these refunds may go to a server. */
  boolean areAllFor(long server) {
    for (int refund = 0; refund < count(); refund++) {
      if (servers[refund] != 0 && servers[refund] != server) {
        return false;
      }
    }
    return true;
  }

  /** The requests of all checks; of refunds, those whose grants are returned. */
  long requestCount() {
    long sum = 0;
    for (int check = 0; check < count(); check++) {
      sum += asked[check];
    }
    return sum;
  }

  /** Tells a listener that the server has taken each refund, or may have. */
  void tellGivenBack(BudgetListener listener) {
    for (int key = 0; key < keys.count(); key++) {
      listener.givenBack(keys, key, costs[key]);
    }
  }

  /**
   * Whether the answer for a check is consistent: an answer of the right length may still be
   * garbage, which must not let requests pass.
   */
  boolean isPlausible(int check, CheckReply reply, int entry) {
    int status = reply.status(entry);
    long granted = reply.granted(entry);
    int index = reply.limitIndex(entry);
    return switch (operations[check]) {
      case DEBT, RESET, REFUND ->
          granted == 0 && status >= CheckReply.DONE && status <= CheckReply.FOREIGN;
      case CHECK, PEEK ->
          status == CheckReply.FOREIGN && granted == 0 && index < allKeys(check)
              || status == CheckReply.OTHER_COST && granted == 0 && isOnce[check]
              || status == CheckReply.REFUSED && granted == 0 && index < limits[check].length
              || status == CheckReply.GRANTED
                  && granted > 0
                  && granted <= asked[check]
                  && index < limits[check].length
                  && !(isMarked[check] && reply.kept(leaseIndexes[check]) != 0);
      case LEASE -> isPlausibleLease(check, reply, entry);
      case HOLD -> holds.isPlausible(check, limits[check].length, asked[check], reply, entry);
    };
  }

  private int allKeys(int check) {
    return keyCounts[check] + (holds == null ? 0 : Integer.bitCount(holds.holding(check)));
  }

  private boolean isPlausibleLease(int check, CheckReply reply, int entry) {
    int index = leaseIndexes[check];
    int status = reply.status(entry);
    long granted = reply.granted(entry);
    long kept = reply.kept(index);
    long lifeUs = reply.lifeUs(index);
    boolean isAny = granted > 0 || kept > 0;
    return (isAny
            ? status == CheckReply.GRANTED
            : status == CheckReply.REFUSED || status == CheckReply.FOREIGN)
        && reply.limitIndex(entry) < keyCounts[check]
        && granted >= 0
        && granted <= asked[check]
        && (kept == 0
            ? lifeUs == 0
            : kept > 0
                && granted == asked[check]
                && kept <= keeps[check]
                && lifeUs > 0
                && lifeUs <= livesUs[check]);
  }

  /** Makes a question of one of the requests of a check. */
  StoreQuestion question(int check, StoreCallback callback, long ticket, StoreQuestion into) {
    switch (operations[check]) {
      case CHECK -> into.check(callback, ticket);
      case PEEK -> into.peek(callback, ticket);
      case HOLD -> into.hold(callback, ticket);
      case LEASE -> {
        if (callback instanceof LeaseCallback lease) {
          into.lease(lease, ticket).keep(keeps[check], livesUs[check]);
        } else {
          into.check(callback, ticket);
        }
      }
      case RESET -> into.reset(callback, ticket);
      case REFUND -> into.giveBack(servers[check], decidedAtUs[check], livesUs[check]);
      case DEBT -> throw withoutCallback(operations[check]);
    }
    about(check, into);
    if (isHold(check)) {
      holds.restore(check, firstKeys[check], into);
    }
    into.holding = holds == null ? 0 : holds.holding(check);
    into.isOnce = isOnce[check];
    into.coalesces &= !into.isOnce;
    if (operations[check] == Operation.REFUND) {
      System.arraycopy(marks, firstKeys[check], into.marks, 0, limits[check].length);
      into.upTo(asked[check]);
    }
    return into;
  }

  /** Makes a question about the budgets of a check, at its costs. */
  StoreQuestion about(int check, StoreQuestion into) {
    into.of(keys, firstKeys[check], limits[check]);
    into.keyCount = keyCounts[check];
    System.arraycopy(costs, firstKeys[check], into.costs, 0, limits[check].length);
    return into;
  }

  int byteCount() {
    return call.length();
  }

  void writeKeys(ByteBuf out) {
    for (int key = 0; key < keys.count(); key++) {
      Resp.bulk(out, keys.bytes(), keys.start(key), keys.length(key));
    }
  }

  void writeTo(ByteBuf out) {
    out.writeBytes(call.array(), 0, call.length());
  }
}
