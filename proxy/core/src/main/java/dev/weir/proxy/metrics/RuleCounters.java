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

  /** A request was within the limit. */
  public void allowed() {
    counters.increment(Outcome.ALLOWED.ordinal());
  }

  /** A request was over the limit, and answered here. */
  public void refused() {
    counters.increment(Outcome.REFUSED.ordinal());
  }

  /** A request was over the limit, but the rule only watches: it went on. */
  public void dryRunRefused() {
    counters.increment(Outcome.DRY_RUN_REFUSED.ordinal());
  }

  /** A request was denied by the rule, whatever the count. */
  public void denied() {
    counters.increment(Outcome.DENIED.ordinal());
  }

  /** A request was passed by a rule without a limit. */
  public void unlimited() {
    counters.increment(Outcome.UNLIMITED.ordinal());
  }

  /** A request's identity was missing or ambiguous, and it was answered here. */
  public void identityRefused() {
    counters.increment(Outcome.IDENTITY_REFUSED.ordinal());
  }

  /** The store gave no decision, and the rule lets nobody pass without one. */
  public void storeUnavailable() {
    counters.increment(Outcome.STORE_UNAVAILABLE.ordinal());
  }

  /** A request was to wait for its slot, while as many wait as may. */
  public void tooManyParked() {
    counters.increment(Outcome.TOO_MANY_PARKED.ordinal());
  }

  /** A check's idempotency key could not be used, so that it was not decided. */
  public void idempotencyRefused() {
    counters.increment(Outcome.IDEMPOTENCY_REFUSED.ordinal());
  }

  /** How many requests had that outcome so far. */
  public long count(Outcome outcome) {
    return counters.getAcquire(outcome.ordinal());
  }

  /** The outcomes that a request can have under a rule. */
  public enum Outcome {
    ALLOWED,
    REFUSED,
    DRY_RUN_REFUSED,
    DENIED,
    UNLIMITED,
    IDENTITY_REFUSED,
    STORE_UNAVAILABLE,
    IDEMPOTENCY_REFUSED,
    TOO_MANY_PARKED;

    /** The label's value. */
    String label() {
      return LabelText.of(this);
    }
  }
}
