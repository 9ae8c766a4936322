package dev.weir.proxy.upstream;

import dev.weir.proxy.tls.UpstreamTlsSettings;
import java.net.SocketAddress;

/**
 * The service behind, and how much of it may be taken, for how long.
 *
 * @param address an {@code InetSocketAddress}, unresolved if it is a name, or a {@code
 *     UnixDomainSocketAddress}.
 * @param protocol how it is spoken to.
 * @param tls how it is verified, if it is spoken to by TLS.
 */
public record UpstreamSettings(
    SocketAddress address,
    UpstreamProtocol protocol,
    UpstreamTlsSettings tls,
    UpstreamTimeouts timeouts,
    UpstreamCaps caps) {}
