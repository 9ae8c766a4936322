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
import java.util.function.LongUnaryOperator;

/**
 * Settings and collaborators of {@link LoopStore}.
 *
 * @param connector opens a connection to a server.
 * @param refreshMap asks for the map of the servers to be read again.
 * @param forget lets every event loop of the process forget what it knows of the budget with a
 *     name.
 * @param deadlineNs the default deadline of a question.
 * @param jitter draws a number below another, so that a fleet does nothing in step.
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
    long deadlineNs,
    LongUnaryOperator jitter) {}
