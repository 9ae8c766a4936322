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
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An event loop's store on {@link ModelServer}s, in a time of its own. */
public final class ModelStore implements AutoCloseable {
  private static final long NS_PER_MS = 1_000_000;

  /** Tells the log of each fault once, however long a test runs. */
  private static final StoreHealth HEALTH = new StoreHealth(() -> 0, (delayNs, task) -> {});

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LoopStore store;
  private long nowNs = 1;
  private long stoodNs;
  private final LoopClock clock = new LoopClock(() -> nowNs, this::wallNs);

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
    Deadlines deadlines = new Deadlines(clock);
    deadlines.start(eventLoop());
    List<ModelServer> all = Stream.concat(known.stream(), unknown.stream()).toList();
    store = of(eventLoop(), clock, deadlines, observer, all, deadlineNs, below -> below / 2);
    if (!isTried) {
      store.giveUpWaiting();
    }
    store.apply(map(known, isCluster));
    run();
  }

  /**
   * Makes an event loop's store, which has no servers yet.
   *
   * @param servers that it can connect to.
   * @param jitter draws a number below another.
   */
  public static LoopStore of(
      EventLoop eventLoop,
      LoopClock clock,
      Deadlines deadlines,
      StoreObserver observer,
      List<ModelServer> servers,
      long deadlineNs,
      LongUnaryOperator jitter) {
    Map<SocketAddress, ModelServer> byAddress =
        servers.stream().collect(Collectors.toMap(ModelServer::address, Function.identity()));
    return new LoopStore(
        new LoopStoreConfig(
            eventLoop,
            clock,
            deadlines,
            address -> byAddress.get(address).connect(),
            HEALTH,
            () -> {},
            name -> {},
            observer,
            deadlineNs,
            jitter));
  }

  /** Gives a store its servers, each with every so many-th partition. */
  public static void connect(LoopStore store, List<ModelServer> servers) {
    store.giveUpWaiting();
    store.apply(map(servers, false));
  }

  /** Whether nothing is under way, and every server decides. */
  public static boolean isAtRest(LoopStore store) {
    return store.isIdle() && store.count(false) == 0;
  }

  private static ShardMap map(List<ModelServer> servers, boolean isCluster) {
    SocketAddress[] owners = new SocketAddress[Partitions.COUNT];
    for (int partition = 0; partition < owners.length; partition++) {
      owners[partition] = servers.get(partition % servers.size()).address();
    }
    return ShardMap.of(owners, Set.of(), isCluster);
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
  private long wallNs() {
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
