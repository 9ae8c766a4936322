package dev.weir.proxy.wire;

import dev.weir.proxy.request.IpAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the connections of a listener, in all and by address. Any thread. */
final class ConnectionCaps {
  private final WireCaps caps;
  private final AtomicInteger count = new AtomicInteger();
  private final ConcurrentHashMap<IpAddress, Integer> byAddress = new ConcurrentHashMap<>();

  ConnectionCaps(WireCaps caps) {
    this.caps = caps;
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
    return count.get() >= caps.connections();
  }
}
