package dev.weir.proxy.store;

/**
 * Estimates a server's clock from its last answer, never ahead of it, so that no request is charged
 * to a window that began after it passed.
 */
final class ServerTime {
  private static final long NS_PER_US = 1_000;

  /** The most that two clocks drift apart: a thousandth. */
  private static final int DRIFT = 1_000;

  private long serverUs;
  private long answeredNs;

  /**
   * Records an answer.
   *
   * @param decidedAtUs the server's clock when it decided, 1 or more.
   * @param nowNs the event loop's time when the answer arrived.
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
