package dev.weir.proxy.admission;

import dev.weir.proxy.metrics.RuleCounters;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.RefusalAnswer;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rule.Rule;
import java.util.Arrays;

/**
 * The requests of one event loop that wait for a verdict, in reused places. A ticket names a place
 * and its generation, so a verdict for a request that has gone finds nothing, and never another
 * request.
 */
final class ParkedRequests {
  /** Result of {@link #next} if a purpose has taken all of its places. */
  static final long FULL = -1;

  /** Places made at first; they double when all are taken. */
  static final int FIRST_PLACES = 64;

  private static final int DESCRIPTORS = Purpose.DESCRIPTOR.ordinal();

  private final int maxPlaces;
  private VerdictListener[] listeners = {};
  private Rule[] rules = {};
  private RuleCounters[] counters = {};
  private long[] startsNs = {};
  private long[] warnedKeys = {};
  private RefusalAnswer[] answers = {};
  private KeySample[] samples = {};
  private int[] holdings = {};
  private int[] generations = {};
  private int[] freePlaces = {};
  private Purpose[] purposes = {};

  /** Places that each purpose has taken, and may take. */
  private final int[] taken = new int[Purpose.values().length];

  private final int[] bounds = new int[Purpose.values().length];
  private int freeCount;

  /**
   * @param maxPlaces requests that may wait at one time, and as many descriptors beside them;
   *     memory grows with use.
   */
  ParkedRequests(int maxPlaces) {
    this.maxPlaces = maxPlaces;
    for (Purpose purpose : Purpose.values()) {
      bounds[purpose.ordinal()] = Math.max(1, bound(purpose, maxPlaces));
    }
  }

  /** Doubles the places, up to the bound. */
  private void makePlaces() {
    int known = listeners.length;
    int most = maxPlaces + bounds[DESCRIPTORS];
    int count = Math.min(most, Math.max(FIRST_PLACES, 2 * known));
    listeners = Arrays.copyOf(listeners, count);
    rules = Arrays.copyOf(rules, count);
    counters = Arrays.copyOf(counters, count);
    startsNs = Arrays.copyOf(startsNs, count);
    warnedKeys = Arrays.copyOf(warnedKeys, count);
    answers = Arrays.copyOf(answers, count);
    samples = Arrays.copyOf(samples, count);
    holdings = Arrays.copyOf(holdings, count);
    generations = Arrays.copyOf(generations, count);
    purposes = Arrays.copyOf(purposes, count);
    freePlaces = new int[count];
    for (int place = count - 1; place >= known; place--) {
      freePlaces[freeCount++] = place;
    }
  }

  /**
   * The places for a purpose: fewer for checks of the decision API than for traffic, so that checks
   * never block traffic; descriptors have places of their own.
   */
  private static int bound(Purpose purpose, int placeCount) {
    return switch (purpose) {
      case TRAFFIC, DESCRIPTOR -> placeCount;
      case DECISION -> placeCount / 2;
      case OPERATOR -> placeCount / 16;
    };
  }

  /**
   * The ticket of the next question, which has no place yet: {@link #park} takes one for it; {@link
   * #pass} ends the ticket without one.
   *
   * @return 0 or more; or {@link #FULL}.
   */
  long next(Purpose purpose) {
    int kind = purpose.ordinal();
    int others = listeners.length - freeCount - taken[DESCRIPTORS];
    if (taken[kind] == bounds[kind] || kind != DESCRIPTORS && others == maxPlaces) {
      return FULL;
    }
    if (freeCount == 0) {
      makePlaces();
    }
    int place = freePlaces[freeCount - 1];
    return (long) generations[place] << 32 | place;
  }

  /** Ends the ticket of the next question, which has its verdict or has failed. */
  void pass(long ticket) {
    forget((int) ticket);
  }

  /**
   * Takes a place for the next question, whose verdict comes late.
   *
   * @param rule null if none applies, and then so is {@code of}.
   */
  void park(
      long ticket,
      VerdictListener listener,
      Rule rule,
      RuleCounters of,
      Purpose purpose,
      long startNs) {
    int place = freePlaces[--freeCount];
    assert place == (int) ticket : "another question has been parked meanwhile";
    taken[purpose.ordinal()]++;
    listeners[place] = listener;
    rules[place] = rule;
    counters[place] = of;
    startsNs[place] = startNs;
    purposes[place] = purpose;
  }

  /** Frees a place without ending its ticket, which is that of the next question again. */
  void reopen(long ticket) {
    int place = (int) ticket;
    listeners[place] = null;
    taken[purposes[place].ordinal()]--;
    freePlaces[freeCount++] = place;
  }

  /** Whether the request with that ticket still waits. */
  boolean holds(long ticket) {
    int place = (int) ticket;
    return listeners[place] != null && generations[place] == (int) (ticket >>> 32);
  }

  VerdictListener listener(long ticket) {
    return listeners[(int) ticket];
  }

  Rule rule(long ticket) {
    return rules[(int) ticket];
  }

  /** The rule's counters when the request arrived; the rules may have been replaced since. */
  RuleCounters counters(long ticket) {
    return counters[(int) ticket];
  }

  Purpose purpose(long ticket) {
    return purposes[(int) ticket];
  }

  long startNs(long ticket) {
    return startsNs[(int) ticket];
  }

  /** Sets the key of a request under a rule with {@code warn-at}: {@link WarnedKeys#key}. */
  void warnedKey(long ticket, long key) {
    warnedKeys[(int) ticket] = key;
  }

  /** The key that was set last; undefined under a rule without {@code warn-at}. */
  long warnedKey(long ticket) {
    return warnedKeys[(int) ticket];
  }

  /** Sets the keys for which the question is counted; null for none. */
  void sample(long ticket, KeySample of) {
    samples[(int) ticket] = of;
  }

  /** The keys for which the question is counted; null for none. */
  KeySample sample(long ticket) {
    return samples[(int) ticket];
  }

  /** Sets the name of what the request will hold; it is to be set for each request. */
  void holding(long ticket, int name) {
    holdings[(int) ticket] = name;
  }

  /** The name of what the request will hold; or {@link Verdict#NOTHING_HELD}. */
  int holding(long ticket) {
    return holdings[(int) ticket];
  }

  /** Sets the rule's own answer, if the request is refused. */
  void answer(long ticket, RefusalAnswer answer) {
    answers[(int) ticket] = answer;
  }

  /** The rule's own answer; null if it has none. */
  RefusalAnswer answer(long ticket) {
    return answers[(int) ticket];
  }

  /** Frees the place and ends its ticket. */
  void leave(long ticket) {
    int place = (int) ticket;
    listeners[place] = null;
    rules[place] = null;
    counters[place] = null;
    answers[place] = null;
    samples[place] = null;
    taken[purposes[place].ordinal()]--;
    forget(place);
    freePlaces[freeCount++] = place;
  }

  /** How many requests wait. */
  int count() {
    return listeners.length - freeCount;
  }

  private void forget(int place) {
    generations[place] = generations[place] + 1 & Integer.MAX_VALUE;
  }
}
