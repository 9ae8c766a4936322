package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.TrafficObserver;
import java.util.concurrent.Executor;

/**
 * What the connections of one event loop to the service have in common, whatever they speak.
 *
 * @param tasks runs what is not to run within a call, on the event loop.
 */
record UpstreamLoop(
    UpstreamSettings settings,
    UpstreamAddresses addresses,
    Executor tasks,
    LoopClock clock,
    Deadlines deadlines,
    TrafficObserver observer) {}
