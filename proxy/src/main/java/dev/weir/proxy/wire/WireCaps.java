package dev.weir.proxy.wire;

/**
 * How much a client may take.
 *
 * @param headBytes of a request's head, its target included.
 * @param fieldCount in a head.
 * @param targetBytes of a request target.
 * @param connections in all.
 * @param connectionsPerAddress from one peer; those of a Unix-domain socket are not counted.
 */
public record WireCaps(
    int headBytes, int fieldCount, int targetBytes, int connections, int connectionsPerAddress) {}
