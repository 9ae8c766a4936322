package dev.weir.proxy.store;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.StoreObserver;
import io.lettuce.core.api.StatefulRedisConnection;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Settings and collaborators of an event loop's way to the store.
 *
 * @param connector opens a connection to a server, of which the event loop is told.
 * @param refreshMap asks for the map of the servers to be read again.
 * @param forget has every event loop of the process forget what it knows of the budget of a name.
 * @param deadlineNs how long an answer may take of which the question does not say it.
 */
record LoopStoreConfig(
    EventLoop eventLoop,
    LoopClock clock,
    Deadlines deadlines,
    Function<SocketAddress, CompletionStage<StatefulRedisConnection<byte[], byte[]>>> connector,
    StoreHealth health,
    Runnable refreshMap,
    Consumer<byte[]> forget,
    StoreObserver observer,
    long deadlineNs) {}
