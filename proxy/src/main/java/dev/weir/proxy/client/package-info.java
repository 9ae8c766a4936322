/**
 * The client's side: listeners, connections, and the answers that the proxy gives itself. Knows
 * neither rules nor the upstream: it asks an {@link dev.weir.proxy.request.Admission} and passes
 * what is allowed to an {@link dev.weir.proxy.http1.Origin}. Hot path.
 */
package dev.weir.proxy.client;
