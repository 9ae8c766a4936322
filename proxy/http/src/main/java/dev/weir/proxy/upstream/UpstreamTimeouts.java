package dev.weir.proxy.upstream;

/**
 * The longest waits on the service's side, in nanoseconds.
 *
 * @param connectNs until a connection to one of its addresses stands.
 * @param responseNs from the request's last byte to the response's head, and between two reads of
 *     its body.
 * @param idleNs after which an unused connection is closed. Shorter than the service's own, or
 *     requests are lost to connections it is about to close.
 * @param queueNs that a request waits for a connection while there is none to be had.
 */
public record UpstreamTimeouts(long connectNs, long responseNs, long idleNs, long queueNs) {}
