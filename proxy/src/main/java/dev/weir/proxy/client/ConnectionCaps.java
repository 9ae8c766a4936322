package dev.weir.proxy.client;

import dev.weir.proxy.loop.OpenFiles;
import dev.weir.proxy.request.IpAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts the connections of all listeners, in all and by client. Any thread. */
final class ConnectionCaps {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionCaps.class);

  /** Descriptors that are not a connection's: listeners, event loops, files. */
  private static final int OTHER_DESCRIPTORS = 64;

  private final CountByClient clients;
  private final int maxCount;
  private final AtomicInteger count = new AtomicInteger();

  /**
   * @param ipv6Prefix the bits of an IPv6 address that make one client.
   */
  ConnectionCaps(ClientCaps caps, int ipv6Prefix) {
    this.clients = new CountByClient(caps.connectionsPerAddress(), ipv6Prefix);
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
    long descriptors = OpenFiles.limit() - OTHER_DESCRIPTORS;
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, descriptors / 2));
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

  /** Whether no further connection should be accepted. */
  boolean full() {
    return count.get() >= maxCount;
  }
}
