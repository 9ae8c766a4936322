package dev.weir.proxy.store.map;

import java.net.InetSocketAddress;
import java.net.SocketAddress;

/**
 * A server in the settings.
 *
 * @param address a host and port, not resolved yet, or a Unix socket.
 * @param weight its share of the partitions among independent servers, 1 to {@link #MAX_WEIGHT}.
 */
public record StoreNode(SocketAddress address, int weight) {
  /** The largest weight. */
  public static final int MAX_WEIGHT = 1000;

  /** The address in logs and metrics, the same whether or not it has been resolved. */
  public static String text(SocketAddress address) {
    return address instanceof InetSocketAddress inet
        ? inet.getHostString() + ':' + inet.getPort()
        : "unix:" + address;
  }

  @Override
  public String toString() {
    return text(address);
  }
}
