/**
 * Clients' connections that speak HTTP/2: an exchange for each stream, or another owner that a
 * {@link dev.weir.proxy.downstream.h2.StreamRouter} knows. Hot path.
 */
package dev.weir.proxy.downstream.h2;
