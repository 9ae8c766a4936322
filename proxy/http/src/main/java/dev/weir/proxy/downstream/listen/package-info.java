/**
 * Listening sockets, and the way of a connection until it speaks HTTP: counted by client, named by
 * a PROXY header, secured by TLS, given to the protocol that its first bytes speak.
 */
package dev.weir.proxy.downstream.listen;
