/**
 * Frames, streams and flow-control windows of HTTP/2 (RFC 9113), for both sides of a connection, of
 * the proxy and of the load harness. Knows nothing of limits and nothing of load. Hot path: no
 * allocation per frame, no lock.
 */
package dev.weir.proxy.http2;
