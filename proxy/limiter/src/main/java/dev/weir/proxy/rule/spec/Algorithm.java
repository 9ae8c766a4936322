package dev.weir.proxy.rule.spec;

import java.util.Locale;

/** The algorithm of a limit. {@link LimitSpec} says which settings each takes. */
public enum Algorithm {
  /** A rate on average, never more than the burst at once. */
  GCRA,
  /** The burst is the bucket's depth; it is refilled continuously at the rate. */
  TOKEN_BUCKET,
  /**
   * The burst is the bucket's depth; it leaks at the rate, and what overflows is refused or held.
   */
  LEAKY_BUCKET,
  /** A count per window of the clock or the calendar; up to twice as many across an edge. */
  FIXED_WINDOW,
  /** Never more in any window: a record of each unit that passed. */
  SLIDING_LOG,
  /** Two counts stand for a sliding window. */
  SLIDING_COUNTER,
  /** A sliding window that moves by a sub-window at a time. */
  BUCKET_RING;

  /** Whether it paces, so that the burst is independent of the rate. */
  public boolean takesBurst() {
    return this == GCRA || this == TOKEN_BUCKET || this == LEAKY_BUCKET;
  }

  /** Whether a key's state is more than a word, and needs a table with rings. */
  boolean takesRing() {
    return this == SLIDING_LOG || this == BUCKET_RING;
  }

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
