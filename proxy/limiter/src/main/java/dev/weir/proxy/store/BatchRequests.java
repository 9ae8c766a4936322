package dev.weir.proxy.store;

import dev.weir.proxy.request.StoreFault;
import java.util.Arrays;

/**
 * The requests of a batch in the order of arrival, each with the check that it waits for. Reused
 * with its batch; its memory grows to the most that was needed.
 */
final class BatchRequests {
  /** The most requests: at the highest cost their sum is still exact in the script. */
  static final int MAX_COUNT = 4096;

  /** State: waits for a decision. */
  private static final byte WAITS = 0;

  /** State: has failed without a decision, and does not pass. */
  private static final byte UNDECIDED = 1;

  /** State: has failed without a decision, and passes by its failure policy. */
  private static final byte PASSED = 2;

  /** State: was moved to another batch. */
  private static final byte MOVED = 3;

  private static final int COUNT_AT_FIRST = 16;

  StoreCallback[] callbacks = new StoreCallback[COUNT_AT_FIRST];
  long[] tickets = new long[COUNT_AT_FIRST];
  private byte[] states = new byte[COUNT_AT_FIRST];

  /** The requests that each question is about; a part of them may be granted. */
  long[] wanted = new long[COUNT_AT_FIRST];

  long[] askedNs = new long[COUNT_AT_FIRST];
  long[] dueNs = new long[COUNT_AT_FIRST];
  short[] checks = new short[COUNT_AT_FIRST];
  private int count;

  /** No request before this index waits. */
  private int openFrom;

  private long firstDueNs;

  /** Whether deadlines are in the order of arrival. */
  private boolean isInOrder;

  private boolean isExpired;
  private boolean isAwaited;
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
    isAwaited = false;
    firstPassedNs = 0;
  }

  /**
   * Adds a request.
   *
   * @param check that it waits for.
   * @param due its deadline.
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
    isAwaited |= question.requests > 0;
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

  /** Whether the request waits for a decision. */
  boolean waits(int at) {
    return states[at] == WAITS;
  }

  /** Whether the request has failed, and does not pass. */
  boolean isUndecided(int at) {
    return states[at] == UNDECIDED;
  }

  /** Whether the request has failed, passing or not. */
  boolean isTold(int at) {
    return states[at] == UNDECIDED || states[at] == PASSED;
  }

  /** Whether the request has failed, and passes. */
  boolean hasPassed(int at) {
    return states[at] == PASSED;
  }

  /** When the first request that still waits was asked; {@link Long#MAX_VALUE} if none waits. */
  long firstAskedNs() {
    return openFrom < count ? askedNs[openFrom] : Long.MAX_VALUE;
  }

  /** The deadline of the first request that waits; {@link Long#MAX_VALUE} if none waits. */
  long firstDueNs() {
    return firstDueNs;
  }

  /** Whether there were requests, and none of them waits any more. */
  boolean areAbandoned() {
    return count > 0 && openFrom == count;
  }

  /** Whether any of them wants something now: others only say, or ask ahead. */
  boolean isAwaited() {
    return isAwaited;
  }

  /** When the first request passed without a decision; 0 if none did. */
  long firstPassedNs() {
    return firstPassedNs;
  }

  /** Whether a request's deadline has passed, since {@link #unexpire}. */
  boolean isExpired() {
    return isExpired;
  }

  /**
   * Forgets that deadlines have passed: that is no fault of the server that the others go to next.
   */
  void unexpire() {
    isExpired = false;
  }

  /** Fails the requests whose deadline has passed. */
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

  /** Marks a request as moved to another batch. */
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
