package dev.weir.proxy.exchange;

import java.util.concurrent.TimeUnit;

/** The speed at which a client sends the body of one request. */
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

  /** Counts bytes that have arrived. */
  void passed(int bytes) {
    passedBytes += bytes;
  }

  /**
   * Whether the client has sent so little in the last period that waiting for the body is not worth
   * it. A period in which it has sent enough ends, and the next one begins: a fast beginning does
   * not excuse a slow rest.
   *
   * @param timeNs the length of a period.
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
