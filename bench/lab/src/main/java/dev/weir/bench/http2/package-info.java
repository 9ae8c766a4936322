/**
 * What HTTP/2 through a sidecar withstands that no build has the time for: many streams, long ones,
 * peers that never read, and each kind of abuse beside its honest twin. Run by {@code
 * bench/scripts/http2}.
 */
package dev.weir.bench.http2;
