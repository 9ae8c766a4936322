/**
 * The client's side: listeners, connections, and the answers that the proxy gives itself. Knows
 * neither rules nor the upstream: it reads requests, and gives each to a {@link
 * dev.weir.proxy.http.ProxiedRequest}. Hot path.
 */
package dev.weir.proxy.downstream;
