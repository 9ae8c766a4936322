package dev.weir.proxy.client;

import java.net.SocketAddress;

/**
 * How clients are listened to.
 *
 * @param listen an {@code InetSocketAddress}, unresolved if it is a name, or a {@code
 *     UnixDomainSocketAddress}.
 */
public record ClientSettings(
    SocketAddress listen, ClientTimeouts timeouts, ClientCaps caps, AnswerSettings answers) {}
