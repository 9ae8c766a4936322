package dev.weir.proxy.store;

import dev.weir.proxy.log.Incident;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopBroadcast;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.store.fleet.BanBook;
import dev.weir.proxy.store.fleet.BanExchange;
import dev.weir.proxy.store.fleet.ChangeFeed;
import dev.weir.proxy.store.fleet.EvictionCheck;
import dev.weir.proxy.store.fleet.FleetMembers;
import dev.weir.proxy.store.fleet.PeerListener;
import dev.weir.proxy.store.fleet.ResetWatch;
import dev.weir.proxy.store.map.LoopRedisClient;
import dev.weir.proxy.store.map.ShardMap;
import dev.weir.proxy.store.map.ShardMapReader;
import dev.weir.proxy.store.map.StoreCalls;
import dev.weir.proxy.store.map.StoreNode;
import dev.weir.proxy.store.map.StoreServers;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.store.map.Topology;
import io.lettuce.core.resource.ClientResources;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store of a process: a {@link LoopStore} for each event loop, and one thread that reads the
 * map of the servers and counts the sidecars, and never decides anything.
 */
public final class Store implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Store.class);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);

  /**
   * The least time between two readings of the map on request; it doubles while they find no
   * change.
   */
  private static final long LEAST_REFRESH_NS = 100_000_000;

  private static final long MOST_REFRESH_NS = 1_000_000_000;

  /** Milliseconds until a heartbeat that somebody asks for. */
  private static final long SOON_MS = 20;

  /** Milliseconds between two tries to find any server. */
  private static final long FIRST_MAP_MS = 200;

  private final StoreSettings settings;
  private final Transport transport;
  private final String service;
  private final Supplier<String> rulesDigest;
  private final PeerListener onPeerCount;
  private final ClientResources resources = LoopRedisClient.resources();
  private final StoreHealth health = new StoreHealth();
  private final List<Member> members = new CopyOnWriteArrayList<>();
  private final LoopBroadcast<LoopStore> loops = new LoopBroadcast<>();
  private final ScheduledThreadPoolExecutor keeper;

  /** Completes when the sidecars were counted for the first time, or that has failed. */
  private final CompletableFuture<Void> counted = new CompletableFuture<>();

  private final AtomicBoolean refreshing = new AtomicBoolean();

  /** Whether a heartbeat is on its way that somebody asked for. */
  private final AtomicBoolean beatsSoon = new AtomicBoolean();

  private final Set<SocketAddress> examined = new HashSet<>();
  private StoreCalls calls;

  /** Those of callers that wait: what they drop, the keeper's calls must not miss. */
  private StoreCalls callsOfOthers;

  private StoreCalls callsOfUsers;

  private ShardMapReader reader;
  private FleetMembers peers;
  private ResetWatch resets;
  private BanBook bans;
  private BanExchange banExchange;
  private ChangeFeed feed;
  private volatile ShardMap map = ShardMap.EMPTY;
  private volatile boolean closed;
  private long readNs = System.nanoTime() - LEAST_REFRESH_NS;
  private long refreshNs = LEAST_REFRESH_NS;

  /** The map of the servers cannot be read, or lacks some. */
  private final Incident unknown =
      new Incident(
          LOG,
          "redis: the map of the servers",
          "the last map stays; each rule's on-store-failure decides for keys without a server",
          "known again",
          Incident.Ends.BY_WORD);

  /** Resets by operators are not received. */
  private final Incident deaf =
      new Incident(
          LOG,
          "redis: listening for budgets that operators reset",
          "they are found later",
          "listens again",
          Incident.Ends.BY_WORD);

  private record Member(EventLoop eventLoop, LoopStore store, LoopRedisClient client) {}

  /**
   * @param service whose sidecars are counted; empty if it is not set.
   * @param rulesDigest a digest of the rules that use the store, by which sidecars find out whether
   *     they agree; empty if no rule uses it. Called by one thread.
   * @param onPeerCount is called when the number of sidecars that share the store changes, this one
   *     included; the number is 1 before. May take its time.
   */
  public Store(
      StoreSettings settings,
      Transport transport,
      String service,
      Supplier<String> rulesDigest,
      PeerListener onPeerCount) {
    this.settings = settings;
    this.transport = transport;
    this.service = service;
    this.rulesDigest = rulesDigest;
    this.onPeerCount = onPeerCount;
    keeper =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "weir-store");
              thread.setDaemon(true);
              return thread;
            });
    keeper.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    keeper.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
  }

  /** Exchanges bans with other sidecars; before {@link #start}. */
  public void exchange(BanBook ofProcess) {
    bans = ofProcess;
  }

  /** Follows records by the heartbeats; before {@link #start}. */
  public void follow(ChangeFeed records) {
    feed = records;
  }

  /** Makes the store for one more event loop; before {@link #start}. */
  public LoopStore join(
      EventLoop eventLoop, LoopClock clock, Deadlines deadlines, StoreObserver observer) {
    LoopRedisClient client =
        new LoopRedisClient(resources, eventLoop, transport, settings, CONNECT_TIMEOUT);
    LoopStore store =
        new LoopStore(
            new LoopStoreConfig(
                eventLoop,
                clock,
                deadlines,
                client::connect,
                health,
                this::refresh,
                this::forget,
                observer,
                settings.deadlineNs(),
                below -> ThreadLocalRandom.current().nextLong(below)));
    members.add(new Member(eventLoop, store, client));
    return store;
  }

  /**
   * Connects every event loop to every server.
   *
   * @param timeoutNs how long to wait; after it the sidecar goes on, and failure policies decide
   *     until the store is connected.
   * @return whether all connections are open.
   */
  public boolean start(long timeoutNs) {
    calls = new StoreCalls(members.get(0).client(), CONNECT_TIMEOUT.toNanos());
    callsOfOthers = new StoreCalls(members.get(0).client(), CONNECT_TIMEOUT.toNanos());
    callsOfUsers = new StoreCalls(members.get(0).client(), CONNECT_TIMEOUT.toNanos());
    reader = new ShardMapReader(settings, calls);
    peers = new FleetMembers(calls, service, rulesDigest, onPeerCount);
    if (feed != null) {
      peers.follow(feed);
      feed.begin(this::beatSoon);
    }
    resets = new ResetWatch(calls, members.get(0).client(), this::forget);
    if (bans != null) {
      banExchange = new BanExchange(calls, service, bans, LoopClock::timeNs);
      keeper.scheduleWithFixedDelay(
          guarded(this::exchangeBans),
          BanExchange.INTERVAL_MS,
          BanExchange.INTERVAL_MS,
          TimeUnit.MILLISECONDS);
    }
    for (Member member : members) {
      loops.add(member.eventLoop(), member.store());
    }
    long intervalMs = settings.topology() == Topology.SENTINEL ? 1_000 : 5_000;
    keeper.execute(guarded(this::read));
    keeper.scheduleWithFixedDelay(
        guarded(this::keep), intervalMs, intervalMs, TimeUnit.MILLISECONDS);
    scheduleBeat();
    CompletableFuture<?>[] all =
        Stream.concat(members.stream().map(member -> member.store().ready()), Stream.of(counted))
            .toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(all).get(timeoutNs, TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException | ExecutionException notYet) {
      for (Member member : members) {
        member.eventLoop().submit(member.store()::giveUpWaiting).awaitUninterruptibly();
      }
      return false;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** The servers for callers that wait for answers; once it has started. */
  public StoreServers servers() {
    return new StoreServers() {
      @Override
      public SocketAddress of(int partition) {
        return map.server(partition);
      }

      @Override
      public void refresh() {
        Store.this.refresh();
      }

      @Override
      public StoreCalls calls() {
        return callsOfOthers;
      }

      @Override
      public StoreCalls userCalls() {
        return callsOfUsers;
      }
    };
  }

  /** Asks for the map to be read again soon, as an event loop has found it old. Any thread. */
  private void refresh() {
    boolean isFixed =
        settings.topology() == Topology.STANDALONE || settings.topology() == Topology.SHARDED;
    if (!isFixed && !closed && refreshing.compareAndSet(false, true)) {
      try {
        keeper.execute(guarded(this::scheduleRefresh));
      } catch (RejectedExecutionException stopped) {
        // The process ends: nobody needs the map any more.
      }
    }
  }

  /** Schedules a reading; until it begins, no other is scheduled. */
  private void scheduleRefresh() {
    long sinceNs = System.nanoTime() - readNs;
    if (sinceNs > 2 * MOST_REFRESH_NS) {
      refreshNs = LEAST_REFRESH_NS; // the trouble is a new one
    }
    keeper.schedule(
        guarded(this::readAgain), Math.max(0, refreshNs - sinceNs), TimeUnit.NANOSECONDS);
  }

  private void readAgain() {
    refreshing.set(false);
    ShardMap before = map;
    read();
    refreshNs = map != before ? LEAST_REFRESH_NS : Math.min(2 * refreshNs, MOST_REFRESH_NS);
  }

  /** Catches exceptions of a repeated task, which would not run again after one. */
  private Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException bug) {
        if (!closed) {
          LOG.error("redis: keeping the map of the servers", bug);
        }
      }
    };
  }

  private void keep() {
    read();
    attend();
  }

  /** Checks the settings of the map's servers, and subscribes to resets there. */
  private void attend() {
    examine();
    try {
      resets.follow(map.servers());
      deaf.ended();
    } catch (IOException fault) {
      deaf.noticed(fault.getMessage());
    }
  }

  /**
   * Lets every event loop forget what it knows of budgets that were reset. Any thread.
   *
   * @param name of the budget in the store; of all budgets, if none has that name.
   * @return the version that {@link #forgotten} reaches once every loop has.
   */
  public long forget(String name) {
    return forget(name.getBytes(StandardCharsets.UTF_8));
  }

  private synchronized long forget(byte[] name) {
    return loops.tell(store -> store.forget(name));
  }

  /** The version up to which every event loop has forgotten. */
  public long forgotten() {
    return loops.acknowledged();
  }

  /** Reads the map, and passes it to the event loops if it has changed. */
  private void read() {
    readNs = System.nanoTime();
    try {
      ShardMapReader.Reading read = reader.read(map);
      ShardMap now = read.map();
      if (read.missing() != null) {
        unknown(read.missing());
      } else {
        unknown.ended();
      }
      if (!now.equals(map)) {
        map = now;
        for (Member member : members) {
          member.eventLoop().execute(() -> member.store().apply(now));
        }
        keeper.execute(guarded(this::beat));
        keeper.execute(guarded(this::attend));
      }
    } catch (IOException | RuntimeException fault) {
      unknown(fault.getMessage());
      if (!closed && map.servers().isEmpty()) {
        long delayMs = FIRST_MAP_MS + ThreadLocalRandom.current().nextLong(FIRST_MAP_MS);
        keeper.schedule(guarded(this::read), delayMs, TimeUnit.MILLISECONDS);
      }
    }
  }

  private void unknown(String cause) {
    if (!closed) {
      unknown.noticed(String.valueOf(cause));
    }
  }

  /** Warns once of each server that evicts keys when memory is short. */
  private void examine() {
    examined.retainAll(map.servers());
    for (SocketAddress server : map.servers()) {
      if (!examined.contains(server)) {
        try {
          String info =
              calls.await(
                  server, calls.node(server).thenCompose(open -> open.async().info("memory")));
          String warning = EvictionCheck.warning(StoreNode.text(server), info);
          examined.add(server);
          if (warning != null) {
            LOG.warn("{}", warning);
          }
        } catch (IOException unreachable) {
          LOG.debug("not examined: {}", unreachable.getMessage());
        }
      }
    }
  }

  private void beat() {
    SocketAddress server = map.server(FleetMembers.PARTITION);
    if (server != null) {
      peers.beat(server);
      exchangeBans();
      counted.complete(null);
    }
  }

  /** Sends a heartbeat beside those that come by themselves; one is for all who ask meanwhile. */
  private void beatSoon() {
    if (!closed && beatsSoon.compareAndSet(false, true)) {
      try {
        keeper.schedule(guarded(this::beatOnce), SOON_MS, TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException stopped) {
        // The process ends: nobody needs what has changed.
      }
    }
  }

  private void beatOnce() {
    beatsSoon.set(false);
    beat();
  }

  private void scheduleBeat() {
    keeper.schedule(guarded(this::beatAndGoOn), peers.intervalMs(), TimeUnit.MILLISECONDS);
  }

  private void beatAndGoOn() {
    try {
      beat();
    } finally {
      if (!closed) {
        scheduleBeat();
      }
    }
  }

  private void exchangeBans() {
    SocketAddress server = map.server(FleetMembers.PARTITION);
    if (server != null && banExchange != null) {
      banExchange.exchange(server);
    }
  }

  /**
   * The number of sidecars that share the store, this one included, as last counted. Any thread.
   */
  public int peerCount() {
    return peers == null ? 1 : peers.count();
  }

  /** The number of servers that are known now. */
  public int serverCount() {
    return map.servers().size();
  }

  /** The number of all event loops' connections to servers that decide now, or that do not. */
  public int count(boolean deciding) {
    int count = 0;
    for (Member member : members) {
      if (member.eventLoop().isShuttingDown()) {
        continue;
      }
      count +=
          member
              .eventLoop()
              .submit(() -> member.store().count(deciding))
              .awaitUninterruptibly()
              .getNow();
    }
    return count;
  }

  /** Closes all connections. The event loops must still run. */
  @Override
  public void close() {
    closed = true;
    SocketAddress server = map.server(FleetMembers.PARTITION);
    if (server != null) {
      keeper.execute(guarded(this::exchangeBans));
      keeper.execute(guarded(() -> peers.leave(server)));
    }
    keeper.shutdown();
    try {
      if (!keeper.awaitTermination(CONNECT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        keeper.shutdownNow();
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
    for (Member member : members) {
      member.eventLoop().submit(member.store()::close).awaitUninterruptibly();
    }
    if (calls != null) {
      resets.close();
      calls.close();
      callsOfOthers.close();
      callsOfUsers.close();
    }
    for (Member member : members) { // what is being made would leave its buffer to a loop that ends
      member
          .eventLoop()
          .submit(() -> member.client().shutdownAsync(0, 0, TimeUnit.MILLISECONDS))
          .awaitUninterruptibly();
    }
    resources.timer().stop(); // nothing else ends a timer that Lettuce was given
    resources.shutdown(0, 100, TimeUnit.MILLISECONDS);
  }
}
