package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.request.IpAddress;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts something of each client, up to a bound. A client is an IPv4 address, or a network of
 * IPv6: who has one address of it has them all. Any thread.
 */
final class CountByClient {
  private final int maxCount;
  private final int ipv6Prefix;
  private final ConcurrentHashMap<IpAddress, Integer> counts = new ConcurrentHashMap<>();

  /**
   * @param ipv6Prefix the bits of an IPv6 address that make one client.
   */
  CountByClient(int maxCount, int ipv6Prefix) {
    this.maxCount = maxCount;
    this.ipv6Prefix = ipv6Prefix;
  }

  /**
   * Counts one in.
   *
   * @param client its address; null for one that is not counted.
   * @return false, and nothing counted, if its client has all it may have.
   */
  boolean enter(IpAddress client) {
    if (client != null && counts.merge(counted(client), 1, Integer::sum) > maxCount) {
      leave(client);
      return false;
    }
    return true;
  }

  /** Counts one out that was counted in. */
  void leave(IpAddress client) {
    if (client != null) {
      counts.computeIfPresent(counted(client), (key, held) -> held == 1 ? null : held - 1);
    }
  }

  /** The client that an address is counted for: itself, or its network. */
  IpAddress counted(IpAddress client) {
    return client.isV4() ? client : client.network(ipv6Prefix);
  }
}
