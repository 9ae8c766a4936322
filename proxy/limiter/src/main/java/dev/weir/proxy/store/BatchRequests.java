package dev.weir.proxy.store;

import dev.weir.proxy.request.StoreFault;
import java.util.Arrays;

/**
 * The requests of a batch, in the order they came, each with the check that it waits for. Reused
 * with its batch; its memory grows to what was needed once, and stays.
 */
final class BatchRequests {
  /** The most requests: what all of them take at the highest cost is still exact in the script. */
  static final int MAX_COUNT = 4096;

  /** State: it has not been told anything. */
  private static final byte WAITS = 0;

  /** State: it has been told that there is no decision, and does not pass. */
  private static final byte UNDECIDED = 1;

  /** State: it has been told that there is no decision, and passes all the same. */
  private static final byte PASSED = 2;

  /** State: another batch has it. */
  private static final byte MOVED = 3;

  private static final int COUNT_AT_FIRST = 16;

  private StoreCallback[] callbacks = new StoreCallback[COUNT_AT_FIRST];
  private long[] tickets = new long[COUNT_AT_FIRST];
  private byte[] states = new byte[COUNT_AT_FIRST];
  private long[] wanted = new long[COUNT_AT_FIRST];
  private long[] askedNs = new long[COUNT_AT_FIRST];
  private long[] dueNs = new long[COUNT_AT_FIRST];
  private short[] checks = new short[COUNT_AT_FIRST];
  private int count;

  /** The requests before this index do not wait. */
  private int openFrom;

  private long firstDueNs;

  /** Whether nobody is due before one that came earlier. */
  private boolean isInOrder;

  private boolean isExpired;
  private long firstPassedNs;

  BatchRequests() {
    clear();
  }

  void clear() {
    count = 0;
    openFrom = 0;
    firstDueNs = Long.MAX_VALUE;
    isInOrder = true;
    isExpired = false;
    firstPassedNs = 0;
  }

  /**
   * Adds one.
   *
   * @param check what it waits for.
   * @param due when it is told that there is no decision.
   */
  void add(StoreQuestion question, int check, long nowNs, long due) {
    if (count == tickets.length) {
      grow();
    }
    int at = count++;
    callbacks[at] = question.callback;
    tickets[at] = question.ticket;
    states[at] = WAITS;
    wanted[at] = question.requests;
    askedNs[at] = nowNs;
    dueNs[at] = due;
    checks[at] = (short) check;
    isInOrder &= at == 0 || dueNs[at - 1] <= due;
    firstDueNs = Math.min(firstDueNs, due);
  }

  private void grow() {
    int length = 2 * count;
    callbacks = Arrays.copyOf(callbacks, length);
    tickets = Arrays.copyOf(tickets, length);
    states = Arrays.copyOf(states, length);
    wanted = Arrays.copyOf(wanted, length);
    askedNs = Arrays.copyOf(askedNs, length);
    dueNs = Arrays.copyOf(dueNs, length);
    checks = Arrays.copyOf(checks, length);
  }

  int count() {
    return count;
  }

  StoreCallback callback(int at) {
    return callbacks[at];
  }

  long ticket(int at) {
    return tickets[at];
  }

  int check(int at) {
    return checks[at];
  }

  /** How many units of its check the request asks for; a part may be granted. */
  long wanted(int at) {
    return wanted[at];
  }

  long askedNs(int at) {
    return askedNs[at];
  }

  long dueNs(int at) {
    return dueNs[at];
  }

  /** Whether the request has not been told anything. */
  boolean waits(int at) {
    return states[at] == WAITS;
  }

  /** Whether the request was told that there is no decision, and does not pass. */
  boolean isUndecided(int at) {
    return states[at] == UNDECIDED;
  }

  /** Whether the request was told that there is no decision, whether it passes or not. */
  boolean isTold(int at) {
    return states[at] == UNDECIDED || states[at] == PASSED;
  }

  /** Whether the request was told that there is no decision, and passes all the same. */
  boolean hasPassed(int at) {
    return states[at] == PASSED;
  }

  /** When the first request that still waits asked; {@link Long#MAX_VALUE} if none does. */
  long firstAskedNs() {
    return openFrom < count ? askedNs[openFrom] : Long.MAX_VALUE;
  }

  /** When the first request that waits is due; {@link Long#MAX_VALUE} if none waits. */
  long firstDueNs() {
    return firstDueNs;
  }

  /** Whether there were requests, and none of them waits any more. */
  boolean areAbandoned() {
    return count > 0 && openFrom == count;
  }

  /** When the first request passed without a decision; 0 if none did. */
  long firstPassedNs() {
    return firstPassedNs;
  }

  /** Whether a request was told that there is no decision, since {@link #unexpire}. */
  boolean isExpired() {
    return isExpired;
  }

  /** Forgets that some were told: it says nothing of the server that the others go to. */
  void unexpire() {
    isExpired = false;
  }

  /** Tells those that are due that there is no decision. */
  void expire(long nowNs, StoreFault fault, BatchChecks of, QuestionResults outcomes) {
    long nextNs = Long.MAX_VALUE;
    for (int at = openFrom; at < count; at++) {
      if (states[at] == WAITS && dueNs[at] <= nowNs) {
        isExpired = true;
        states[at] = UNDECIDED;
        boolean passes = outcomes.tellUnavailable(callbacks[at], tickets[at], fault);
        if (passes && wanted[at] > 0 && of.charges(checks[at])) {
          states[at] = PASSED;
          firstPassedNs = firstPassedNs == 0 ? outcomes.nowNs() : firstPassedNs;
        }
      } else if (states[at] == WAITS) {
        nextNs = Math.min(nextNs, dueNs[at]);
        if (isInOrder) {
          break;
        }
      }
    }
    firstDueNs = nextNs;
    skipTold();
  }

  /** Another batch has it from now on. */
  void moved(int at) {
    states[at] = MOVED;
    skipTold();
    firstDueNs = openFrom < count ? firstDueNs : Long.MAX_VALUE;
  }

  private void skipTold() {
    while (openFrom < count && states[openFrom] != WAITS) {
      openFrom++;
    }
  }
}
