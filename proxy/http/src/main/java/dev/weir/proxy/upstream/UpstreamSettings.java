package dev.weir.proxy.upstream;

import dev.weir.proxy.tls.UpstreamTlsSettings;
import java.net.SocketAddress;

/**
 * The settings of the service, with bounds and time limits.
 *
 * @param address an {@code InetSocketAddress}, unresolved if it is a name, or a {@code
 *     UnixDomainSocketAddress}.
 * @param protocol of the service.
 * @param tls how its certificate is verified, if it is spoken to by TLS.
 */
public record UpstreamSettings(
    SocketAddress address,
    UpstreamProtocol protocol,
    UpstreamTlsSettings tls,
    UpstreamTimeouts timeouts,
    UpstreamCaps caps) {}
