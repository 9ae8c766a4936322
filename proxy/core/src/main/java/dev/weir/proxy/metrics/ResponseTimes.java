package dev.weir.proxy.metrics;

import java.util.concurrent.TimeUnit;

/**
 * How long calls of Envoy's rate-limit service took on one event loop, from their heads to their
 * answers, counted between bounds: those that envoyproxy/ratelimit's histogram has, and finer ones
 * below them. Written by that loop only, read by any thread.
 */
public final class ResponseTimes {
  /** In microseconds; what takes longer than the last is counted behind it. */
  private static final long[] BOUNDS_US = {
    50,
    100,
    250,
    500,
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000
  };

  /** How many counts there are, each of times up to a bound. */
  static final int BUCKETS = BOUNDS_US.length + 1;

  private static final double US_PER_SECOND = 1e6;
  private static final double NS_PER_SECOND = 1e9;

  /** Behind the counts, the sum of all times in nanoseconds. */
  private final Counters counters = new Counters(BUCKETS + 1);

  ResponseTimes() {}

  /** A call has been answered. */
  public void record(long ns) {
    int bucket = 0;
    while (bucket < BOUNDS_US.length && ns > TimeUnit.MICROSECONDS.toNanos(BOUNDS_US[bucket])) {
      bucket++;
    }
    counters.add(BUCKETS, ns); // first: who sees a count sees its time
    counters.increment(bucket);
  }

  /** The calls that took longer than the bound before, and not longer than a bucket's own. */
  long count(int bucket) {
    return counters.getAcquire(bucket);
  }

  /** The longest that a bucket's calls took. */
  static double boundSeconds(int bucket) {
    return bucket == BOUNDS_US.length
        ? Double.POSITIVE_INFINITY
        : BOUNDS_US[bucket] / US_PER_SECOND;
  }

  double sumSeconds() {
    return counters.getAcquire(BUCKETS) / NS_PER_SECOND;
  }
}
