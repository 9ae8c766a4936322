/**
 * The service behind the proxy: a pool of connections per event loop, and on each the response read
 * strictly and passed on as it comes. Hot path.
 */
package dev.weir.proxy.upstream;
