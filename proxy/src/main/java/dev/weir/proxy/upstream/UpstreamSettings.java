package dev.weir.proxy.upstream;

import java.net.SocketAddress;

/**
 * The service behind, and how long it may take.
 *
 * @param address an {@code InetSocketAddress}, unresolved if it is a name, or a {@code
 *     UnixDomainSocketAddress}.
 * @param connectTimeoutNs until a connection stands.
 * @param responseTimeoutNs from the request's last byte to the response's head, and between two
 *     reads of its body.
 * @param idleTimeoutNs after which an unused connection is closed. Shorter than the service's own,
 *     or requests are lost to connections it is about to close.
 * @param maxConnectionsPerLoop connections of one event loop.
 */
public record UpstreamSettings(
    SocketAddress address,
    long connectTimeoutNs,
    long responseTimeoutNs,
    long idleTimeoutNs,
    int maxConnectionsPerLoop) {}
