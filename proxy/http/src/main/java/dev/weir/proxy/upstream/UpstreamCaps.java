package dev.weir.proxy.upstream;

/**
 * The bounds of one event loop towards the service.
 *
 * @param connections for exchanges, idle ones included.
 * @param streams connections of tunnels and other long-lived exchanges.
 * @param http2Connections to a service of HTTP/2, each of which carries many exchanges.
 * @param queue requests that wait for a connection.
 */
public record UpstreamCaps(int connections, int streams, int http2Connections, int queue) {}
