package dev.weir.proxy.store;

/**
 * What a server's clock said, as far as its last answer tells: never later than it did. So what
 * passed at a moment is not taken for something of a window that began after it.
 */
final class ServerTime {
  private static final long NS_PER_US = 1_000;

  /** Two clocks drift apart by a thousandth at most. */
  private static final int DRIFT = 1_000;

  private long serverUs;
  private long answeredNs;

  /**
   * An answer has come.
   *
   * @param decidedAtUs what the server's clock said before it left, 1 or more.
   * @param nowNs the event loop's time, at which it was there.
   */
  void answered(long decidedAtUs, long nowNs) {
    serverUs = decidedAtUs;
    answeredNs = nowNs;
  }

  /** Whether the server has answered yet. */
  boolean isKnown() {
    return serverUs > 0;
  }

  /** The server's time at an event loop's time, or a little less; in microseconds, 0 or more. */
  long us(long atNs) {
    long agoUs = Math.floorDiv(answeredNs - atNs, NS_PER_US) + 1;
    return Math.max(0, serverUs - agoUs - Math.max(0, agoUs) / DRIFT);
  }
}
