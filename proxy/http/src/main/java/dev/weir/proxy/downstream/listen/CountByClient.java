package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.request.IpAddress;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts something by client, up to a bound for each. A client is an IPv4 address or an IPv6
 * network, as one client has all addresses of its network. Any thread.
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
   * Counts one more.
   *
   * @param client its address; null for one that is not counted.
   * @return false, and nothing is counted, if its client has as many as it may.
   */
  boolean enter(IpAddress client) {
    if (client != null && counts.merge(counted(client), 1, Integer::sum) > maxCount) {
      leave(client);
      return false;
    }
    return true;
  }

  /** Uncounts one that was counted. */
  void leave(IpAddress client) {
    if (client != null) {
      counts.computeIfPresent(counted(client), (key, held) -> held == 1 ? null : held - 1);
    }
  }

  /** The client that an address counts for: itself, or its network. */
  IpAddress counted(IpAddress client) {
    return client.isV4() ? client : client.network(ipv6Prefix);
  }
}
