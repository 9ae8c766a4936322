/**
 * The client's side of one event loop: its connections of any protocol, their settings and their
 * timer. Knows neither rules nor the service: it reads requests, and gives each to a {@link
 * dev.weir.proxy.exchange.ProxiedRequest}. Hot path.
 *
 * <p>A connection is accepted by {@code listen}, and then speaks HTTP/1.1 ({@code h1}) or HTTP/2
 * ({@code h2}); {@code answer} writes what is the same in both of what Weir says itself.
 */
package dev.weir.proxy.downstream;
