package dev.weir.proxy.downstream;

/**
 * The time limits for clients, in nanoseconds.
 *
 * @param headNs from a head's first byte to its last.
 * @param bodyIdleNs between two reads of a request's body.
 * @param idleNs between two requests of a connection.
 * @param writeNs between two writes, while the client reads nothing of its response.
 * @param tunnelIdleNs without a byte either way in a tunnel.
 */
public record ClientTimeouts(
    long headNs, long bodyIdleNs, long idleNs, long writeNs, long tunnelIdleNs) {}
