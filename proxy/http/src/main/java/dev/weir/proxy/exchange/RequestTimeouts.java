package dev.weir.proxy.exchange;

/**
 * How long a client may keep a request waiting, in nanoseconds. How long it may take between two
 * requests is its connection's to say.
 *
 * @param bodyNs between two reads of the body.
 * @param writeNs between two writes, while the client does not take what is there for it.
 * @param tunnelIdleNs without a byte either way after an Upgrade.
 */
public record RequestTimeouts(long bodyNs, long writeNs, long tunnelIdleNs) {}
