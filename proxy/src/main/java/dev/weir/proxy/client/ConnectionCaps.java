package dev.weir.proxy.client;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.weir.proxy.request.IpAddress;
import java.lang.management.ManagementFactory;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the connections of a listener, in all and by client. A client is an IPv4 address, or a
 * network of IPv6: who has one address of it has them all. Any thread.
 */
final class ConnectionCaps {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionCaps.class);

  /** Descriptors that are not a connection's: listeners, event loops, files. */
  private static final int OTHER_DESCRIPTORS = 64;

  private final ClientCaps caps;
  private final int ipv6Prefix;
  private final int maxCount;
  private final AtomicInteger count = new AtomicInteger();
  private final ConcurrentHashMap<IpAddress, Integer> byClient = new ConcurrentHashMap<>();

  /**
   * @param ipv6Prefix the bits of an IPv6 address that make one client.
   */
  ConnectionCaps(ClientCaps caps, int ipv6Prefix) {
    this.caps = caps;
    this.ipv6Prefix = ipv6Prefix;
    int affordable = affordableCount();
    this.maxCount = Math.min(caps.connections(), affordable);
    if (affordable < caps.connections()) {
      LOG.info(
          "caps.connections: {}, but the limit of open files allows for {} only",
          caps.connections(),
          affordable);
    }
  }

  /** How many clients there are descriptors for, if each has an upstream connection too. */
  private static int affordableCount() {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      long descriptors = system.getMaxFileDescriptorCount() - OTHER_DESCRIPTORS;
      return (int) Math.max(1, Math.min(Integer.MAX_VALUE, descriptors / 2));
    }
    return Integer.MAX_VALUE;
  }

  /**
   * Counts a new connection in.
   *
   * @param client its address; null for one that counts in all only.
   * @return false, and nothing counted, if its client has all it may have.
   */
  boolean enter(IpAddress client) {
    if (client != null
        && byClient.merge(counted(client), 1, Integer::sum) > caps.connectionsPerAddress()) {
      leaveClient(client);
      return false;
    }
    count.incrementAndGet();
    return true;
  }

  /** Counts a connection out that was counted in. */
  void leave(IpAddress client) {
    count.decrementAndGet();
    if (client != null) {
      leaveClient(client);
    }
  }

  private void leaveClient(IpAddress client) {
    byClient.computeIfPresent(counted(client), (key, held) -> held == 1 ? null : held - 1);
  }

  private IpAddress counted(IpAddress client) {
    return client.isV4() ? client : client.network(ipv6Prefix);
  }

  /** Whether no further connection should be accepted. */
  boolean full() {
    return count.get() >= maxCount;
  }
}
