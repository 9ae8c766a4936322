package dev.weir.proxy.downstream;

import dev.weir.proxy.tls.ServerTlsSettings;
import java.net.SocketAddress;

/**
 * One address that clients connect to.
 *
 * @param address an {@code InetSocketAddress}, unresolved if it is a name, or a {@code
 *     UnixDomainSocketAddress}.
 * @param tls how it speaks TLS; null if it does not.
 * @param proxyProtocol whether each connection begins with a header of the PROXY protocol.
 */
public record ListenerSettings(
    SocketAddress address, ServerTlsSettings tls, boolean proxyProtocol) {
  /** An address for connections in the clear. */
  public static ListenerSettings plain(SocketAddress address) {
    return new ListenerSettings(address, null, false);
  }
}
