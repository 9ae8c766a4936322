package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.log.Incident;
import io.netty.channel.ChannelConfig;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps all listeners from accepting while there are as many connections as there may be: those
 * that come wait with the system, and none is turned away. Any thread.
 */
final class AcceptPause {
  private static final Logger LOG = LoggerFactory.getLogger(AcceptPause.class);

  private final ConnectionCaps caps;
  private final String cause;
  private final Incident paused =
      new Incident(
          LOG,
          "accepting connections",
          "new ones wait with the system (caps.connections)",
          "goes on",
          Incident.Ends.BY_WORD);
  private final List<ChannelConfig> listening = new CopyOnWriteArrayList<>();

  AcceptPause(ConnectionCaps caps) {
    this.caps = caps;
    cause = "paused at " + caps.most() + " connections";
  }

  void join(ChannelConfig listener) {
    listening.add(listener);
  }

  /** A connection was counted in. */
  void entered() {
    if (caps.full()) {
      paused.noticed(cause);
      setAccepting(false);
      if (!caps.full()) {
        setAccepting(true); // one left meanwhile, and has not seen the pause
      }
    }
  }

  /** A connection was counted out. */
  void left() {
    if (!caps.full()) {
      paused.ended();
      setAccepting(true);
    }
  }

  private void setAccepting(boolean accepting) {
    for (ChannelConfig listener : listening) {
      if (listener.isAutoRead() != accepting) {
        listener.setAutoRead(accepting);
      }
    }
  }
}
