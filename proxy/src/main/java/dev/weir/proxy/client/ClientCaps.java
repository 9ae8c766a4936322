package dev.weir.proxy.client;

/**
 * How much a client may take.
 *
 * @param headBytes of a request's head, its target included.
 * @param fieldCount in a head.
 * @param targetBytes of a request target.
 * @param connections in all.
 * @param connectionsPerAddress from one peer, or one network of IPv6; those of a Unix-domain socket
 *     or of a proxy that is believed are not counted, as many clients stand behind them.
 */
public record ClientCaps(
    int headBytes, int fieldCount, int targetBytes, int connections, int connectionsPerAddress) {}
