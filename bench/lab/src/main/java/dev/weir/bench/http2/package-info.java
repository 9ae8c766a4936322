/**
 * HTTP/2 through a sidecar under what no build has the time for: a hundred thousand open streams,
 * and each kind of abuse beside its honest twin.
 */
package dev.weir.bench.http2;
