package dev.weir.proxy.loop;

/**
 * An event loop's clock. Time is read when bytes arrive and when a step ends, and every decision of
 * the same read works with the time of that read: reading it for each would cost more than the
 * decision does.
 *
 * <p>Times are nanoseconds since the process started, at least 1. They never run backwards and are
 * comparable between loops.
 */
public final class LoopClock {
  private static final long ORIGIN_NS = System.nanoTime() - 1;

  private long nowNs = read();

  private static long read() {
    return System.nanoTime() - ORIGIN_NS;
  }

  /** Reads the time. */
  public long tick() {
    nowNs = read();
    return nowNs;
  }

  /** The time when it was last read. */
  public long nowNs() {
    return nowNs;
  }
}
