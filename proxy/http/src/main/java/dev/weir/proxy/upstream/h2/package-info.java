/**
 * Services of HTTP/2: their connections, which many exchanges share, and one stream for each
 * exchange. A service of TLS is here too, as its handshake says which version it speaks. Hot path.
 */
package dev.weir.proxy.upstream.h2;
