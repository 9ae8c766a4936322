package dev.weir.proxy.metrics;

/**
 * Counts of what became of the requests that one rule decided on one event loop. Each request is
 * counted once, under one outcome. Written by that loop only, read by any thread.
 */
public final class RuleCounters {
  /** The figure's name without {@code _total}; its labels are the rule and the outcome. */
  static final String NAME = "weir_decisions";

  /** Decisions on checks that programs ask for. */
  static final String NAME_OF_ASKED = "weir_decision_checks";

  static final String HELP_OF_ASKED = "Checks of the decision API, by rule and outcome.";

  static final String HELP = "Requests decided, by rule and outcome.";

  private final Counters counters = new Counters(Outcome.values().length);

  RuleCounters() {}

  /** Counts a request that had an outcome. */
  public void add(Outcome outcome) {
    counters.increment(outcome.ordinal());
  }

  /** How many requests had that outcome so far. */
  public long count(Outcome outcome) {
    return counters.getAcquire(outcome.ordinal());
  }

  /** The outcomes that a request can have under a rule. */
  public enum Outcome {
    /** A request was within the limit. */
    ALLOWED,

    /** A request was over the limit, and answered here. */
    REFUSED,

    /** A request was over the limit, but the rule only watches: it went on. */
    DRY_RUN_REFUSED,

    /** A request was denied by the rule, whatever the count. */
    DENIED,

    /** A request was passed by a rule without a limit. */
    UNLIMITED,

    /** A request's identity was missing or ambiguous, and it was answered here. */
    IDENTITY_REFUSED,

    /** The store gave no decision, and the rule lets nobody pass without one. */
    STORE_UNAVAILABLE,

    /** A check's idempotency key could not be used, so that it was not decided. */
    IDEMPOTENCY_REFUSED,

    /** A request was to wait for its slot, while as many wait as may. */
    TOO_MANY_PARKED,

    /** A request's identity was banned by the rule, and it was answered here. */
    BANNED;

    /** The label's value. */
    String label() {
      return LabelText.of(this);
    }
  }
}
