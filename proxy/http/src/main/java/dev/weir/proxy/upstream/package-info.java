/**
 * The service behind the proxy: its addresses, opening connections to it, requests that wait for
 * one; and for services of HTTP/1.1 a pool of connections per event loop, and on each the response,
 * strictly checked and passed on as it arrives. Hot path.
 */
package dev.weir.proxy.upstream;
