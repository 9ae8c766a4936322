package dev.weir.proxy.upstream;

/**
 * The time limits of the service's side, in nanoseconds.
 *
 * @param connectNs to connect to one of its addresses.
 * @param responseNs from the request's last byte to the response's head, and between two reads of
 *     its body.
 * @param idleNs after which an unused connection is closed. Shorter than the service's own time, or
 *     requests are lost on connections that it is about to close.
 * @param queueNs that a request waits for a connection.
 */
public record UpstreamTimeouts(long connectNs, long responseNs, long idleNs, long queueNs) {}
