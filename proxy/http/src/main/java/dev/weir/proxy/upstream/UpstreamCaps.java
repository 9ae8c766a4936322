package dev.weir.proxy.upstream;

/**
 * The most that one event loop takes of the service.
 *
 * @param connections for exchanges, those that are idle included.
 * @param streams connections that tunnels and other long exchanges hold.
 * @param http2Connections to a service of HTTP/2, each of which carries many exchanges.
 * @param queue requests that wait for a connection.
 */
public record UpstreamCaps(int connections, int streams, int http2Connections, int queue) {}
