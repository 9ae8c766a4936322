package dev.weir.proxy.wiring;

import dev.weir.proxy.downstream.h1.Http1Memory;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.LoopMetrics;
import io.netty.channel.EventLoop;

/**
 * The parts of one event loop that the proxy and the decision API share on it.
 *
 * @param deadlines of all that waits on it.
 * @param memory bytes of the heap that clients may take.
 */
record LoopParts(
    EventLoop eventLoop,
    LoopClock clock,
    Deadlines deadlines,
    ClientShares memory,
    Http1Memory http1,
    Http2Loop http2,
    LoopMetrics metrics) {}
