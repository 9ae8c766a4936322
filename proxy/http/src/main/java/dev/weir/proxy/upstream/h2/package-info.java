/**
 * Services of HTTP/2: their connections, which many exchanges share, and one stream for each
 * exchange; and services over TLS, whose handshake chooses the version of HTTP. Hot path.
 */
package dev.weir.proxy.upstream.h2;
