/**
 * Clients, honest and hostile, and the service. Blocking sockets and Netty's HTTP/2; no code of
 * Weir.
 */
package dev.weir.bench.torture.traffic;
