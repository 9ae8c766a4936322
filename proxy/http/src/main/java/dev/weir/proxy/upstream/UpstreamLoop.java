package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.TrafficObserver;
import io.netty.channel.EventLoop;

/** The parts that one event loop's connections to the service share. */
public record UpstreamLoop(
    UpstreamSettings settings,
    UpstreamAddresses addresses,
    EventLoop eventLoop,
    LoopClock clock,
    Deadlines deadlines,
    TrafficObserver observer) {}
