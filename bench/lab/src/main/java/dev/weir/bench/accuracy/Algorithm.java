package dev.weir.bench.accuracy;

import dev.weir.algorithms.Limit;

/** The algorithms that are measured: "so many per window", said to each in its own terms. */
enum Algorithm {
  SLIDING_LOG("sliding-log", false),
  BUCKET_RING_1000("bucket-ring, 1/1000", true),
  BUCKET_RING_100("bucket-ring, 1/100", true),
  BUCKET_RING_10("bucket-ring, 1/10", true),
  SLIDING_COUNTER("sliding-counter", true),
  FIXED_WINDOW("fixed-window", true),
  GCRA("gcra, burst = limit", false),
  TOKEN_BUCKET("token-bucket", false),
  LEAKY_BUCKET("leaky-bucket", false),
  GCRA_SMALL_BURST("gcra, burst = limit/10", false);

  private static final int SMALL_BURST_DIVISOR = 10;

  final String label;

  /**
   * Whether it means to count the requests of the last window, as the exact log does, in fewer
   * numbers than there are requests. The GCRA family enforces something else, a burst and a rate:
   * what is wrong to the log is not wrong to it.
   */
  final boolean approximateCount;

  Algorithm(String label, boolean approximateCount) {
    this.label = label;
    this.approximateCount = approximateCount;
  }

  /** Sub-windows per window of a bucket ring, 0 of the others. */
  int subWindows() {
    return switch (this) {
      case BUCKET_RING_10 -> 10;
      case BUCKET_RING_100 -> 100;
      case BUCKET_RING_1000 -> 1000;
      default -> 0;
    };
  }

  Limit limit(long requests, long windowNs) {
    return switch (this) {
      case SLIDING_LOG -> Limit.slidingLog(requests, windowNs);
      case BUCKET_RING_1000, BUCKET_RING_100, BUCKET_RING_10 ->
          Limit.bucketRing(requests, windowNs, subWindows());
      case SLIDING_COUNTER -> Limit.slidingCounter(requests, windowNs);
      case FIXED_WINDOW -> Limit.fixedWindow(requests, windowNs, 0);
      case GCRA -> Limit.gcra(requests, windowNs, requests);
      case TOKEN_BUCKET -> Limit.tokenBucket(requests, requests, windowNs);
      case LEAKY_BUCKET -> Limit.leakyBucket(requests, requests, windowNs);
      case GCRA_SMALL_BURST ->
          Limit.gcra(requests, windowNs, Math.max(1, requests / SMALL_BURST_DIVISOR));
    };
  }
}
