package dev.weir.proxy.downstream.answer;

/** The indexes at which the numbers of the RateLimit fields end in an output; 0 for absent ones. */
final class RateLimitDigits {
  /** The end of {@code r} of RateLimit. */
  int remainingEnd;

  /** The end of {@code t} of RateLimit. */
  int waitEnd;

  int xRemainingEnd;
  int xWaitEnd;

  void clear() {
    remainingEnd = waitEnd = xRemainingEnd = xWaitEnd = 0;
  }

  /** Copies another's ends, shifted by {@code offset}. */
  void set(RateLimitDigits other, int offset) {
    remainingEnd = moved(other.remainingEnd, offset);
    waitEnd = moved(other.waitEnd, offset);
    xRemainingEnd = moved(other.xRemainingEnd, offset);
    xWaitEnd = moved(other.xWaitEnd, offset);
  }

  private static int moved(int end, int offset) {
    return end == 0 ? 0 : end + offset;
  }
}
