/**
 * The service behind the proxy: its addresses, connections made to it, requests that wait for one;
 * and services of HTTP/1.1: a pool of connections per event loop, and on each the response read
 * strictly and passed on as it comes. Hot path.
 */
package dev.weir.proxy.upstream;
