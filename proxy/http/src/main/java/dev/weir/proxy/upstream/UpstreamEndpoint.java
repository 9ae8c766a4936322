package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.tls.UpstreamTls;

/**
 * The service, for connections in one protocol.
 *
 * @param authority for Host or {@code :authority}, if a client gave none.
 * @param tls to the service; null for plain connections.
 */
public record UpstreamEndpoint(Transport transport, String authority, UpstreamTls tls) {}
