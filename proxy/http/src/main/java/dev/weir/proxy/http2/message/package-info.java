/**
 * Heads of HTTP/2 as the exchange knows them (RFC 9113, section 8): requests and responses read out
 * of a {@link dev.weir.proxy.http2.hpack.FieldBlock}, and written for a peer of HTTP/2 whatever
 * protocol they came in. What no message may have, the fields themselves say; what a request may
 * not have is said here. Nothing in this package reads or writes a socket.
 *
 * <p>This is hot path: no allocation, no String, no lock.
 */
package dev.weir.proxy.http2.message;
