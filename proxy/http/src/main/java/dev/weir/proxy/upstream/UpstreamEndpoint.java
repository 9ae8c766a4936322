package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.tls.UpstreamTls;

/**
 * The service as connections in one protocol find it.
 *
 * @param authority what to say as Host or authority for clients that gave none.
 * @param tls with the service; null if it is spoken to in the clear.
 */
public record UpstreamEndpoint(Transport transport, String authority, UpstreamTls tls) {}
