/**
 * The grammar of HTTP/1.1 messages (RFC 9112), for both sides of the proxy: scanners that work in
 * place on the received bytes, and edits of a head that keep untouched bytes untouched. Strictness
 * and speed are the same work here: a byte is accepted by the grammar or the message is refused.
 * Nothing in this package reads or writes a socket.
 *
 * <p>This is hot path: no allocation, no String, no lock.
 */
package dev.weir.proxy.http1;
