package dev.weir.proxy.store;

/**
 * A server's clock, estimated from its last answer, and never ahead of it: so a request is not
 * charged to a window that began after it passed.
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
