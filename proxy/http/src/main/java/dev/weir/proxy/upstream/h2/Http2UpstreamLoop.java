package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.request.Http2Observer;
import dev.weir.proxy.upstream.UpstreamLoop;

/**
 * What the connections of one event loop to a service of HTTP/2 have in common.
 *
 * @param connections is shared with those of clients.
 * @param resets of their clients' streams.
 */
record Http2UpstreamLoop(
    UpstreamLoop upstream,
    Http2Loop connections,
    Http2Observer observer,
    Http2Messages messages,
    ClientResets resets) {}
