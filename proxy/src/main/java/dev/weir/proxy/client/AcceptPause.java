package dev.weir.proxy.client;

import io.netty.channel.ChannelConfig;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Keeps all listeners from accepting while there are as many connections as there may be: those
 * that come wait with the system, and none is turned away. Any thread.
 */
final class AcceptPause {
  private final ConnectionCaps caps;
  private final List<ChannelConfig> listening = new CopyOnWriteArrayList<>();

  AcceptPause(ConnectionCaps caps) {
    this.caps = caps;
  }

  void join(ChannelConfig listener) {
    listening.add(listener);
  }

  /** A connection was counted in. */
  void entered() {
    if (caps.full()) {
      setAccepting(false);
      if (!caps.full()) {
        setAccepting(true); // one left meanwhile, and has not seen the pause
      }
    }
  }

  /** A connection was counted out. */
  void left() {
    if (!caps.full()) {
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
