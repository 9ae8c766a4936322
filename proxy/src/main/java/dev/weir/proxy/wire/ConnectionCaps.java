package dev.weir.proxy.wire;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.weir.proxy.request.IpAddress;
import java.lang.management.ManagementFactory;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts the connections of a listener, in all and by address. Any thread. */
final class ConnectionCaps {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionCaps.class);

  /** Descriptors that are not a connection's: listeners, event loops, files. */
  private static final int OTHER_DESCRIPTORS = 64;

  private final WireCaps caps;
  private final int maxCount;
  private final AtomicInteger count = new AtomicInteger();
  private final ConcurrentHashMap<IpAddress, Integer> byAddress = new ConcurrentHashMap<>();

  ConnectionCaps(WireCaps caps) {
    this.caps = caps;
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
   * @param peer null for one without an address, which counts in all only.
   * @return false, and nothing counted, if its address has all it may have.
   */
  boolean enter(IpAddress peer) {
    if (peer != null && byAddress.merge(peer, 1, Integer::sum) > caps.connectionsPerAddress()) {
      leaveAddress(peer);
      return false;
    }
    count.incrementAndGet();
    return true;
  }

  /** Counts a connection out that was counted in. */
  void leave(IpAddress peer) {
    count.decrementAndGet();
    if (peer != null) {
      leaveAddress(peer);
    }
  }

  private void leaveAddress(IpAddress peer) {
    byAddress.computeIfPresent(peer, (address, held) -> held == 1 ? null : held - 1);
  }

  /** Whether no further connection should be accepted. */
  boolean full() {
    return count.get() >= maxCount;
  }
}
