package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.downstream.ClientCaps;
import dev.weir.proxy.log.Incident;
import dev.weir.proxy.request.IpAddress;
import io.netty.channel.ChannelConfig;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the connections of all listeners, in all and by client. At the bound in all, no listener
 * accepts: new connections wait in the system's backlog, and none is closed. Any thread.
 */
final class ConnectionCaps {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionCaps.class);

  private final CountByClient clients;
  private final int maxCount;
  private final AtomicInteger count = new AtomicInteger();
  private final List<ChannelConfig> listening = new CopyOnWriteArrayList<>();
  private final Incident paused =
      new Incident(
          LOG,
          "accepting connections",
          "new ones wait with the system (caps.connections)",
          "goes on",
          Incident.Ends.BY_WORD);

  /**
   * @param ipv6Prefix the bits of an IPv6 address that make one client.
   */
  ConnectionCaps(ClientCaps caps, int ipv6Prefix) {
    this.clients = new CountByClient(caps.connectionsPerAddress(), ipv6Prefix);
    this.maxCount = caps.connections();
  }

  /** Pauses a listener while the bound in all is reached. */
  void join(ChannelConfig listener) {
    listening.add(listener);
  }

  /**
   * Counts a new connection.
   *
   * @param client its address; null to count it in all only.
   * @return false, and nothing is counted, if its client has as many as it may.
   */
  boolean enter(IpAddress client) {
    if (!clients.enter(client)) {
      return false;
    }
    count.incrementAndGet();
    if (isFull()) {
      paused.noticed("paused at " + maxCount + " connections");
      setAccepting(false);
      if (!isFull()) {
        setAccepting(true); // one left meanwhile, and has not seen the pause
      }
    }
    return true;
  }

  /** Uncounts a connection that was counted. */
  void leave(IpAddress client) {
    count.decrementAndGet();
    clients.leave(client);
    if (!isFull()) {
      paused.ended();
      setAccepting(true);
    }
  }

  /** Connections by client, for clients that are known only after they were counted in all. */
  CountByClient clients() {
    return clients;
  }

  /** Whether the bound in all is reached. */
  boolean isFull() {
    return count.get() >= maxCount;
  }

  private void setAccepting(boolean accepting) {
    for (ChannelConfig listener : listening) {
      if (listener.isAutoRead() != accepting) {
        listener.setAutoRead(accepting);
      }
    }
  }
}
