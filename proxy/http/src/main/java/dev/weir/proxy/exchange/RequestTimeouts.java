package dev.weir.proxy.exchange;

/**
 * How long a client may keep a request waiting, in nanoseconds. The time between two requests
 * belongs to the connection.
 *
 * @param bodyNs between two reads of the body.
 * @param writeNs between two writes, while the client reads nothing of its response.
 * @param tunnelIdleNs without a byte either way in a tunnel.
 */
public record RequestTimeouts(long bodyNs, long writeNs, long tunnelIdleNs) {}
