package dev.weir.proxy.downstream;

/**
 * How long a client may take, in nanoseconds.
 *
 * @param headNs from a head's first byte to its last.
 * @param bodyIdleNs between two reads of a request's body.
 * @param idleNs between two requests of a connection.
 * @param writeNs between two writes, while the client does not take what is there for it.
 * @param tunnelIdleNs without a byte either way after an Upgrade.
 */
public record ClientTimeouts(
    long headNs, long bodyIdleNs, long idleNs, long writeNs, long tunnelIdleNs) {}
