/**
 * Frames, streams and windows of HTTP/2 (RFC 9113), for both sides of a connection: the proxy's and
 * the load harness's. Knows nothing of limits and nothing of load. Hot path: no allocation per
 * frame, no lock.
 */
package dev.weir.proxy.http2;
