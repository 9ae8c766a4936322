package dev.weir.proxy.rule;

import dev.weir.algorithms.Limit;

/** How a rule's budget comes back. */
public enum Algorithm {
  /** So many per window on average, never more than the burst at once. */
  GCRA("gcra"),
  /** The burst is the bucket's depth; it is refilled continuously at the rate. */
  TOKEN_BUCKET("token-bucket");

  private final String text;

  Algorithm(String text) {
    this.text = text;
  }

  /**
   * @throws IllegalArgumentException if the two cannot be combined.
   */
  public Limit limit(Rate rate, long burst) {
    return switch (this) {
      case GCRA -> Limit.gcra(rate.count(), rate.windowNs(), burst);
      case TOKEN_BUCKET -> Limit.tokenBucket(burst, rate.count(), rate.windowNs());
    };
  }

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return text;
  }
}
