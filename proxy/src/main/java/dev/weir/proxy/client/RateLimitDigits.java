package dev.weir.proxy.client;

/** Where the numbers of the RateLimit fields end in the output; 0 for those that are not there. */
final class RateLimitDigits {
  /** Of {@code r} of RateLimit. */
  int remainingEnd;

  /** Of {@code t} of RateLimit. */
  int waitEnd;

  int xRemainingEnd;
  int xWaitEnd;

  void clear() {
    remainingEnd = waitEnd = xRemainingEnd = xWaitEnd = 0;
  }

  void set(RateLimitDigits other) {
    remainingEnd = other.remainingEnd;
    waitEnd = other.waitEnd;
    xRemainingEnd = other.xRemainingEnd;
    xWaitEnd = other.xWaitEnd;
  }
}
