package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.downstream.ClientCaps;
import dev.weir.proxy.request.IpAddress;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the connections of all listeners, in all and by client. Any thread. */
final class ConnectionCaps {
  private final CountByClient clients;
  private final int maxCount;
  private final AtomicInteger count = new AtomicInteger();

  /**
   * @param ipv6Prefix the bits of an IPv6 address that make one client.
   */
  ConnectionCaps(ClientCaps caps, int ipv6Prefix) {
    this.clients = new CountByClient(caps.connectionsPerAddress(), ipv6Prefix);
    this.maxCount = caps.connections();
  }

  /**
   * Counts a new connection in.
   *
   * @param client its address; null for one that counts in all only.
   * @return false, and nothing counted, if its client has all it may have.
   */
  boolean enter(IpAddress client) {
    if (!clients.enter(client)) {
      return false;
    }
    count.incrementAndGet();
    return true;
  }

  /** Counts a connection out that was counted in. */
  void leave(IpAddress client) {
    count.decrementAndGet();
    clients.leave(client);
  }

  /** Connections by client, for those whose client is known only after they have entered. */
  CountByClient clients() {
    return clients;
  }

  /** The most connections that there may be. */
  int most() {
    return maxCount;
  }

  /** Whether no further connection should be accepted. */
  boolean full() {
    return count.get() >= maxCount;
  }
}
