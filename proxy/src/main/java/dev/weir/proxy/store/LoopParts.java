package dev.weir.proxy.store;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.StoreObserver;
import io.netty.channel.EventLoop;

/**
 * What an event loop's way to the store is made with.
 *
 * @param refreshMap asks for the map of the servers to be read again.
 * @param deadlineNs how long an answer may take of which the question does not say it.
 */
record LoopParts(
    EventLoop eventLoop,
    LoopClock clock,
    Deadlines deadlines,
    Connector connector,
    StoreHealth health,
    Runnable refreshMap,
    StoreObserver observer,
    long deadlineNs) {}
