package dev.weir.proxy.upstream;

import java.net.SocketAddress;

/**
 * The service behind, and how much of it may be taken, for how long.
 *
 * @param address an {@code InetSocketAddress}, unresolved if it is a name, or a {@code
 *     UnixDomainSocketAddress}.
 * @param protocol how it is spoken to.
 */
public record UpstreamSettings(
    SocketAddress address,
    UpstreamProtocol protocol,
    UpstreamTimeouts timeouts,
    UpstreamCaps caps) {}
