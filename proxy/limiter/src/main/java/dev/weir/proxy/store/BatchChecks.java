package dev.weir.proxy.store;

import dev.weir.proxy.store.StoreQuestion.Operation;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.CheckCall;
import dev.weir.scripts.CheckReply;
import dev.weir.scripts.ScriptLimit;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * The checks of a batch, of all kinds: checks, leases, peeks, resets and debts, each with its
 * budgets. Requests that check the same budgets at the same costs share one. Reused with its batch.
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

  /** The number of requests of each check; 0 for a debt that another batch has. */
  private final long[] asked = new long[MAX_KEYS];

  /** Times at which the requests of a debt passed, by check, on the event loop's clock. */
  private final long[] passedNs = new long[MAX_KEYS];

  /** Index of the lease of each check; null, as the next two, until there is one. */
  private int[] leaseIndexes;

  /** Requests that the lease of each check is to keep at most, and for how long. */
  private long[] keeps;

  private long[] livesUs;

  /** Indexes of checks plus one, by the hash of a key, in probing order. */
  private final short[] buckets = new short[BUCKETS];

  /**
   * Forgets everything but the memory.
   *
   * @param unixUs the time by which windows of a calendar are sent.
   */
  void begin(long unixUs) {
    call.clear(unixUs);
    Arrays.fill(buckets, (short) 0);
    Arrays.fill(limits, null);
    keys.clear();
  }

  /** The check for a question, one that is there if it may be shared; counts its requests. */
  int add(StoreQuestion question) {
    return switch (question.operation) {
      case CHECK -> question.coalesces ? shared(question) : begun(question);
      case LEASE, PEEK, RESET -> begun(question);
      case REFUND, DEBT -> throw withoutCallback(question.operation);
    };
  }

  private static IllegalArgumentException withoutCallback(Operation operation) {
    return new IllegalArgumentException(
        "operation: " + operation + " (expected: one with a callback)");
  }

  /** The check or lease that the requests of a check join, or a new one. */
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
    buckets[bucket] = (short) (check + 1);
    return check;
  }

  private static int firstBucket(StoreQuestion question) {
    long hash = question.keys.hash(question.first);
    return (int) (hash ^ hash >>> 32) & BUCKETS - 1;
  }

  /** Has the checks of the same budgets that come later join a lease. */
  private void share(int lease, StoreQuestion question) {
    int bucket = firstBucket(question);
    while (buckets[bucket] != 0) {
      if (isSame(buckets[bucket] - 1, question)) {
        break; // they come behind those of an earlier check
      }
      bucket = bucket + 1 & BUCKETS - 1;
    }
    buckets[bucket] = (short) (lease + 1);
  }

  /**
   * Whether a check has others behind it that charge what a question is about: to join it would be
   * to be decided before them, which only those may that have no order.
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
          case LEASE, REFUND, DEBT -> throw withoutCallback(question.operation);
        },
        question);
  }

  /** Whether a lease of these limits can be asked for, and brings marks. */
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

  /** A lease, or a check as one that keeps nothing: its answer brings marks. */
  private int begunLease(StoreQuestion question) {
    if (leaseIndexes == null) {
      leaseIndexes = new int[MAX_KEYS];
      keeps = new long[MAX_KEYS];
      livesUs = new long[MAX_KEYS];
    }
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

  /**
   * Charges requests that have passed already, as far as they still count.
   *
   * @param atNs when they passed, on the event loop's clock.
   * @param atUs the same moment in the time of the server, or a little earlier.
   */
  void owe(StoreQuestion debt, long atNs, long atUs) {
    int check = begin(call.debt(debt.requests, debt.costs[0], atUs, debt.limits[0]), debt);
    passedNs[check] = atNs;
  }

  private int begin(int check, StoreQuestion question) {
    ScriptLimit[] of = question.limits;
    int firstKey = keys.count();
    for (int i = 0; i < of.length; i++) {
      if (i > 0) {
        call.also(of[i], question.costs[i]);
      }
      costs[firstKey + i] = question.costs[i];
    }
    for (int i = 0; i < question.keyCount; i++) {
      keys.copy(question.keys, question.first + i);
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

  /** Requests that share the check, of those that are to pass now. */
  long asked(int check) {
    return asked[check];
  }

  boolean isLease(int check) {
    return operations[check] == Operation.LEASE;
  }

  /** Whether the answer has marks of what was granted. */
  boolean isMarked(int check) {
    return isMarked[check];
  }

  /** Leases, and the checks that are asked as such for their marks. */
  int leaseCount() {
    return call.leaseCount();
  }

  /** Which of the batch's leases the check is. */
  int leaseIndex(int check) {
    return leaseIndexes[check];
  }

  /** Whether there was less than all that share the check asked for, now or to keep. */
  boolean isShort(int check, CheckReply reply, int entry) {
    return reply.granted(entry) < asked[check]
        || isLease(check) && keeps[check] > 0 && reply.kept(leaseIndexes[check]) == 0;
  }

  int limitCount(int check) {
    return limits[check].length;
  }

  /** For how long a lease is to keep requests at most. */
  long lifeUs(int check) {
    return livesUs[check];
  }

  /**
   * Whether a grant that came too late goes back. A queue takes nothing back: those behind have
   * been told their slots. A check once is not charged again when its request comes again.
   */
  boolean isGivenBack(int check) {
    return charges(check) && !isOnce[check] && limits[check][0].outflowUs(1) == 0;
  }

  /**
   * Requests that had passed before it was sent, and that it has to charge; 0 for all but debts.
   */
  long owed(int check) {
    return operations[check] == Operation.DEBT ? asked[check] : 0;
  }

  /** When the requests of a debt passed, on the event loop's clock. */
  long passedNs(int check) {
    return passedNs[check];
  }

  /** Another batch has the debt from now on. */
  void moved(int check) {
    asked[check] = 0;
  }

  /** Bytes of the right number may be anything: what would let requests pass must make sense. */
  boolean isPlausible(int check, CheckReply reply, int entry) {
    int status = reply.status(entry);
    long granted = reply.granted(entry);
    int index = reply.limitIndex(entry);
    return switch (operations[check]) {
      case DEBT, RESET -> granted == 0 && status >= CheckReply.DONE && status <= CheckReply.FOREIGN;
      case CHECK, PEEK ->
          status == CheckReply.FOREIGN && granted == 0 && index < keyCounts[check]
              || status == CheckReply.OTHER_COST && granted == 0 && isOnce[check]
              || status == CheckReply.REFUSED && granted == 0 && index < limits[check].length
              || status == CheckReply.GRANTED
                  && granted > 0
                  && granted <= asked[check]
                  && index < limits[check].length
                  && !(isMarked[check] && reply.kept(leaseIndexes[check]) != 0);
      case LEASE -> isPlausibleLease(check, reply, entry);
      case REFUND -> throw new AssertionError("refunds are apart");
    };
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

  /** A check as a question again, that of one of its requests. */
  StoreQuestion question(int check, StoreCallback callback, long ticket, StoreQuestion into) {
    switch (operations[check]) {
      case CHECK -> into.check(callback, ticket);
      case PEEK -> into.peek(callback, ticket);
      case LEASE -> {
        if (callback instanceof LeaseCallback lease) {
          into.lease(lease, ticket).keep(keeps[check], livesUs[check]);
        } else {
          into.check(callback, ticket);
        }
      }
      case RESET -> into.reset(callback, ticket);
      case REFUND, DEBT -> throw withoutCallback(operations[check]);
    }
    about(check, into);
    into.isOnce = isOnce[check];
    into.coalesces &= !into.isOnce;
    return into;
  }

  /** Makes a question one about the budgets of a check, at its costs. */
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
