package dev.weir.proxy.store;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.StoreObserver;
import io.netty.channel.EventLoop;
import java.util.function.Consumer;

/**
 * What an event loop's way to the store is made with.
 *
 * @param refreshMap asks for the map of the servers to be read again.
 * @param forget has every event loop of the process forget what it knows of the budget of a name.
 * @param deadlineNs how long an answer may take of which the question does not say it.
 */
record LoopStoreConfig(
    EventLoop eventLoop,
    LoopClock clock,
    Deadlines deadlines,
    Connector connector,
    StoreHealth health,
    Runnable refreshMap,
    Consumer<byte[]> forget,
    StoreObserver observer,
    long deadlineNs) {}
