package dev.weir.proxy.admission;

import dev.weir.proxy.metrics.RuleCounters;
import dev.weir.proxy.request.Asker;
import dev.weir.proxy.rule.Rule;

/**
 * The requests of one event loop whose verdict is awaited, in places that are reused. A ticket
 * names a place and how often it has been used, so that a verdict for a request that is gone finds
 * nobody, and never somebody else.
 */
final class ParkedRequests {
  /** What {@link #park} returns when every place is taken. */
  static final long FULL = -1;

  private final Asker[] askers;
  private final Rule[] rules;
  private final RuleCounters[] counters;
  private final long[] startsNs;
  private final int[] generations;
  private final int[] freePlaces;
  private int freeCount;

  ParkedRequests(int placeCount) {
    askers = new Asker[placeCount];
    rules = new Rule[placeCount];
    counters = new RuleCounters[placeCount];
    startsNs = new long[placeCount];
    generations = new int[placeCount];
    freePlaces = new int[placeCount];
    freeCount = placeCount;
    for (int place = 0; place < placeCount; place++) {
      freePlaces[place] = placeCount - 1 - place;
    }
  }

  /**
   * Takes a place.
   *
   * @param rule null if none applies, and then so is {@code of}.
   * @return the ticket, 0 or more; or {@link #FULL}.
   */
  long park(Asker asker, Rule rule, RuleCounters of, long startNs) {
    if (freeCount == 0) {
      return FULL;
    }
    int place = freePlaces[--freeCount];
    askers[place] = asker;
    rules[place] = rule;
    counters[place] = of;
    startsNs[place] = startNs;
    return (long) generations[place] << 32 | place;
  }

  /** Whether the request of that ticket still waits. */
  boolean holds(long ticket) {
    int place = (int) ticket;
    return askers[place] != null && generations[place] == (int) (ticket >>> 32);
  }

  Asker asker(long ticket) {
    return askers[(int) ticket];
  }

  Rule rule(long ticket) {
    return rules[(int) ticket];
  }

  /** The counters of the rule when the request came: the rules may have been swapped since. */
  RuleCounters counters(long ticket) {
    return counters[(int) ticket];
  }

  long startNs(long ticket) {
    return startsNs[(int) ticket];
  }

  /** Gives the place back; the ticket names nobody from now on. */
  void leave(long ticket) {
    int place = (int) ticket;
    askers[place] = null;
    rules[place] = null;
    counters[place] = null;
    generations[place] = generations[place] + 1 & Integer.MAX_VALUE;
    freePlaces[freeCount++] = place;
  }
}
