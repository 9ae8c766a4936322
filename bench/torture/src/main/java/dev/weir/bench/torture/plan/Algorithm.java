package dev.weir.bench.torture.plan;

import java.util.Locale;

/** An algorithm of limits, with what it promises of every window. */
public enum Algorithm {
  GCRA(Promise.PACED),
  TOKEN_BUCKET(Promise.PACED),
  LEAKY_BUCKET(Promise.PACED),
  SLIDING_LOG(Promise.ANY_WINDOW),
  BUCKET_RING(Promise.ANY_WINDOW),
  FIXED_WINDOW(Promise.CLOCK_WINDOW),
  SLIDING_COUNTER(Promise.CLOCK_WINDOW);

  /** A bound on what passes, in the manual's words (docs/algorithms.md). */
  public enum Promise {
    /** In any span of time at most the burst, and what comes back meanwhile. */
    PACED,
    /** At most the limit in any window. */
    ANY_WINDOW,
    /** At most the limit in each window of the clock. */
    CLOCK_WINDOW
  }

  private final Promise promise;

  Algorithm(Promise promise) {
    this.promise = promise;
  }

  public Promise promise() {
    return promise;
  }

  /** The name in a file of rules. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
