package dev.weir.proxy.wire;

import java.net.SocketAddress;

/**
 * How clients are listened to.
 *
 * @param listen an {@code InetSocketAddress}, unresolved if it is a name, or a {@code
 *     UnixDomainSocketAddress}.
 */
public record WireSettings(
    SocketAddress listen, WireTimeouts timeouts, WireCaps caps, AnswerSettings answers) {}
