package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.exchange.FairCap;
import java.util.concurrent.TimeUnit;

/**
 * The streams to a service of HTTP/2 that last: WebSockets, and exchanges that have gone on for 5
 * s. They have a cap of their own, and each client a share of it, as connections to a service of
 * HTTP/1.1 that last have; their places are others'. So there may be a connection more for each one
 * that they fill, half of one counting as one.
 *
 * <p>Which exchanges last is looked at only when places are missing.
 */
final class LongStreams {
  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long LOOK_AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final FairCap places;
  private long nextLookNs = Long.MIN_VALUE;

  /**
   * @param cap of all of them.
   */
  LongStreams(int cap) {
    places = new FairCap(cap);
  }

  /** Whether a client may have one more. */
  boolean hasRoom(long client) {
    return places.hasRoom(client);
  }

  void take(long client) {
    places.take(client);
  }

  void leave(long client) {
    places.leave(client);
  }

  /** How many there are. */
  int count() {
    return places.taken();
  }

  /**
   * How many connections more there may be on account of them.
   *
   * @param streamsOfOne that the service allows on a connection; 1 or more.
   */
  int connections(int streamsOfOne) {
    return (count() + streamsOfOne / 2) / streamsOfOne;
  }

  /** Whether it may be looked at which exchanges last; not again within 100 ms. */
  boolean looks(long nowNs) {
    if (nowNs < nextLookNs) {
      return false;
    }
    nextLookNs = nowNs + LOOK_AGAIN_NS;
    return true;
  }

  /** Whether what has begun then has lasted. */
  static boolean haveLasted(long sinceNs, long nowNs) {
    return nowNs - sinceNs >= LONG_NS;
  }
}
