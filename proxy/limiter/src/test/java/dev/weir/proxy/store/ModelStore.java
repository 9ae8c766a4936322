package dev.weir.proxy.store;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.store.map.Partitions;
import dev.weir.proxy.store.map.ShardMap;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/** An event loop's store on {@link ModelServer}s, in a time of its own. */
public final class ModelStore implements AutoCloseable {
  private static final long NS_PER_MS = 1_000_000;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Map<SocketAddress, ModelServer> servers;
  private final LoopStore store;
  private long nowNs = 1;
  private long stoodNs;
  private final LoopClock clock = new LoopClock(() -> nowNs);

  /**
   * @param known servers that the map has, each with every so many-th partition.
   * @param unknown those that a redirection may name.
   */
  public ModelStore(
      List<ModelServer> known,
      List<ModelServer> unknown,
      boolean isCluster,
      StoreObserver observer,
      long deadlineNs) {
    this(known, unknown, isCluster, observer, deadlineNs, false);
  }

  /**
   * @param isTried whether the servers are tried first, as where a sidecar starts.
   */
  ModelStore(
      List<ModelServer> known,
      List<ModelServer> unknown,
      boolean isCluster,
      StoreObserver observer,
      long deadlineNs,
      boolean isTried) {
    channel.freezeTime();
    servers =
        java.util.stream.Stream.concat(known.stream(), unknown.stream())
            .collect(Collectors.toMap(ModelServer::address, Function.identity()));
    Deadlines deadlines = new Deadlines(clock);
    deadlines.start(eventLoop());
    store =
        new LoopStore(
            new LoopStoreConfig(
                eventLoop(),
                clock,
                deadlines,
                address -> servers.get(address).connect(),
                new StoreHealth(),
                () -> {},
                name -> {},
                observer,
                deadlineNs));
    if (!isTried) {
      store.giveUpWaiting();
    }
    SocketAddress[] owners = new SocketAddress[Partitions.COUNT];
    for (int partition = 0; partition < owners.length; partition++) {
      owners[partition] = known.get(partition % known.size()).address();
    }
    store.apply(ShardMap.of(owners, Set.of(), isCluster));
    run();
  }

  public LoopStore store() {
    return store;
  }

  /** Somebody says that budgets were given back by hand. */
  public void forget() {
    store.forget(new byte[0]);
  }

  /** Somebody says that the budget of a name was given back by hand. */
  public void forget(String name) {
    store.forget(name.getBytes(StandardCharsets.US_ASCII));
  }

  public LoopClock clock() {
    return clock;
  }

  public EventLoop eventLoop() {
    return channel.eventLoop();
  }

  /** The time of day, in whole milliseconds. */
  public long wallNs() {
    return (nowNs + stoodNs) / NS_PER_MS * NS_PER_MS;
  }

  /** The machine stands still, and its clock too; the time of day goes on. */
  public void standStill(long ns) {
    stoodNs += ns;
  }

  /** Runs what the event loop has been given. */
  public void run() {
    channel.runPendingTasks();
  }

  /** Lets time pass, and runs what is due. */
  public void pass(long ns) {
    nowNs += ns;
    clock.tick();
    channel.advanceTimeBy(ns, TimeUnit.NANOSECONDS);
    channel.runPendingTasks();
  }

  @Override
  public void close() {
    store.close();
    run();
    channel.close();
  }
}
