package dev.weir.proxy.exchange;

import java.util.concurrent.TimeUnit;

/** How fast the body of one request comes. */
final class BodyPace {
  /** The least speed of a body that is gathered; a slower one is given up. */
  static final int MIN_GATHERED_BYTES_PER_SECOND = 128;

  /** The least speed of a body that a connection to the service waits for. */
  static final int MIN_FORWARDED_BYTES_PER_SECOND = 1024;

  private long beganNs;
  private long passedBytes;

  /** Starts measuring. */
  void begin(long nowNs) {
    beganNs = nowNs;
    passedBytes = 0;
  }

  /** Some bytes have come. */
  void passed(int bytes) {
    passedBytes += bytes;
  }

  /**
   * Whether the client has sent so little in the time since {@link #begin} that the body is not
   * worth the wait. When it has sent enough, that time starts anew: a good beginning excuses
   * nothing.
   *
   * @param timeNs over which its speed is taken.
   */
  boolean tooSlow(long nowNs, long timeNs, int minBytesPerSecond) {
    long elapsedNs = nowNs - beganNs;
    if (elapsedNs <= timeNs) {
      return false;
    }
    boolean enough =
        passedBytes >= TimeUnit.NANOSECONDS.toMillis(elapsedNs) * minBytesPerSecond / 1_000;
    begin(nowNs);
    return !enough;
  }
}
