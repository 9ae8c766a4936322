/**
 * Listening sockets, and the way of a connection until it speaks HTTP: it is counted by client, its
 * PROXY header is read, TLS is set up, and its first bytes choose the protocol.
 */
package dev.weir.proxy.downstream.listen;
