package dev.weir.proxy.store;

import java.util.function.LongUnaryOperator;

/**
 * A circuit breaker: keeps requests from waiting for a server that does not answer. Closed, it lets
 * all calls pass. It opens after {@link #FAILURES_TO_OPEN} failures in a row that span some time,
 * as several batches in flight fail together if either side is held up for a moment, which is one
 * failure. Open, it lets no call pass until its pause is over; then one probe, whose result closes
 * it, or opens it for twice as long.
 *
 * <p>Times are those of the loop's clock. Used by one event loop.
 */
final class Breaker {
  static final int FAILURES_TO_OPEN = 3;
  static final long FIRST_PAUSE_NS = 100_000_000;
  static final long LAST_PAUSE_NS = 2_000_000_000;

  /** The state; its ordinal is the value of a metric. */
  enum State {
    CLOSED,
    HALF_OPEN,
    OPEN
  }

  private final long patienceNs;
  private final LongUnaryOperator jitter;
  private State state = State.CLOSED;
  private int failures;
  private long firstFailureNs;
  private long pauseNs = FIRST_PAUSE_NS;
  private long reopensNs;

  /**
   * @param patienceNs how long there must be only failures before it opens.
   * @param jitter draws a number below another.
   */
  Breaker(long patienceNs, LongUnaryOperator jitter) {
    this.patienceNs = patienceNs;
    this.jitter = jitter;
  }

  State state() {
    return state;
  }

  /** Whether a call may be made now; after a probe, none until its result. */
  boolean tryPass(long nowNs) {
    if (state == State.CLOSED) {
      return true;
    }
    if (state == State.OPEN && nowNs >= reopensNs) {
      state = State.HALF_OPEN;
      return true;
    }
    return false;
  }

  /** The server answered. */
  void succeeded() {
    state = State.CLOSED;
    failures = 0;
    pauseNs = FIRST_PAUSE_NS;
  }

  /** The server did not answer in time, or its answer was an error. */
  void failed(long nowNs) {
    if (failures++ == 0) {
      firstFailureNs = nowNs;
    }
    if (state == State.HALF_OPEN) {
      pauseNs = Math.min(2 * pauseNs, LAST_PAUSE_NS);
      open(nowNs);
    } else if (state == State.CLOSED
        && failures >= FAILURES_TO_OPEN
        && nowNs - firstFailureNs >= patienceNs) {
      open(nowNs);
    }
  }

  private void open(long nowNs) {
    state = State.OPEN;
    // Up to a quarter more, so that a fleet does not probe in step.
    reopensNs = nowNs + pauseNs + jitter.applyAsLong(pauseNs / 4);
  }
}
