package dev.weir.proxy.downstream;

import dev.weir.proxy.tls.ServerTlsSettings;
import java.net.SocketAddress;

/**
 * The settings of one listener.
 *
 * @param address an {@code InetSocketAddress}, unresolved if it is a name, or a {@code
 *     UnixDomainSocketAddress}.
 * @param tls its TLS settings; null for plain connections.
 * @param proxyProtocol whether each connection begins with a PROXY header.
 */
public record ListenerSettings(
    SocketAddress address, ServerTlsSettings tls, boolean proxyProtocol) {
  /** A listener for plain connections. */
  public static ListenerSettings plain(SocketAddress address) {
    return new ListenerSettings(address, null, false);
  }
}
