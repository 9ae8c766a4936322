package dev.weir.bench.store;

import dev.weir.bench.origin.LocalLoop;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.records.RecordListener;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.redis.RecordKeys;
import dev.weir.proxy.records.redis.RedisRecordStore;
import dev.weir.proxy.records.redis.UserNames;
import dev.weir.proxy.store.fleet.FleetMembers;
import dev.weir.proxy.store.map.LoopRedisClient;
import dev.weir.proxy.store.map.StoreCalls;
import dev.weir.proxy.store.map.StoreLogin;
import dev.weir.proxy.store.map.StoreNode;
import dev.weir.proxy.store.map.StoreServers;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.store.map.Topology;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * What sidecars of one service do with the records of a store: each has a connection, sends its
 * heartbeats at the shipped interval, and reads the rules that have changed, by the shipped
 * classes. What it would do with the rules is left out. Owned by one thread.
 */
final class Hearts implements AutoCloseable {
  static final RecordKeys KEYS = new RecordKeys("bench", "bench");
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final long AWAIT_NS = TimeUnit.SECONDS.toNanos(120);
  private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Waits as a sidecar does: until a heartbeat that somebody asks for. */
  private static final long SOON_MS = 20;

  /** Each waits for one answer at a time. */
  private static final int THREADS = 64;

  private final SocketAddress server;
  private final LocalLoop loop = new LocalLoop("weir-hearts", TransportKind.AUTO);
  private final ClientResources resources = LoopRedisClient.resources();
  private final LoopRedisClient client;
  private final ScheduledThreadPoolExecutor threads =
      new ScheduledThreadPoolExecutor(THREADS, new DefaultThreadFactory("weir-heart", true));
  private final List<Heart> hearts = new ArrayList<>();
  private final List<Heart> writers = new ArrayList<>();
  private final LongAdder beats = new LongAdder();

  Hearts(InetSocketAddress server) {
    this.server = server;
    client =
        new LoopRedisClient(
            resources,
            loop.eventLoop(),
            loop.transport(),
            new StoreSettings(
                List.of(new StoreNode(server, 1)),
                Topology.STANDALONE,
                null,
                StoreLogin.NONE,
                StoreLogin.NONE,
                0,
                false,
                null,
                CONNECT_TIMEOUT.toNanos()),
            CONNECT_TIMEOUT);
    threads.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /**
   * Adds some, and waits until each knows of all.
   *
   * @throws IOException if that takes too long.
   */
  void add(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      final Heart heart = new Heart();
      heart.follow();
      hearts.add(heart);
      threads.schedule(heart::beatAndGoOn, random(count), TimeUnit.MILLISECONDS);
    }
    await(hearts.size() + " hearts that know of each other", heart -> heart.knows(hearts.size()));
  }

  /** Heartbeats so far. */
  long beats() {
    return beats.sum();
  }

  /**
   * Waits until all have rules of a version or a later one.
   *
   * @return when each had them first, by {@link System#nanoTime}.
   */
  long[] awaitRules(RecordVersion version) throws IOException {
    await("rules " + version + " on all hearts", heart -> heart.hasNs(version) != 0);
    return hearts.stream().mapToLong(heart -> heart.hasNs(version)).toArray();
  }

  /** A store of records for a writer, on a connection of its own. */
  RedisRecordStore writer() {
    final Heart writer = new Heart();
    writers.add(writer);
    return writer.records;
  }

  private interface Condition {
    boolean holds(Heart heart);
  }

  private void await(String what, Condition condition) throws IOException {
    final long startNs = System.nanoTime();
    for (Heart heart : hearts) {
      while (!condition.holds(heart)) {
        if (System.nanoTime() - startNs > AWAIT_NS) {
          throw new IOException(
              "none within " + AWAIT_NS / 1_000_000_000 + " s: " + what + ": see the server's log");
        }
        LockSupport.parkNanos(POLL_NS);
      }
    }
  }

  private static long random(long below) {
    return ThreadLocalRandom.current().nextLong(below);
  }

  @Override
  public void close() {
    threads.shutdown();
    try {
      threads.awaitTermination(CONNECT_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    hearts.forEach(heart -> heart.calls.close());
    writers.forEach(writer -> writer.calls.close());
    client.shutdown(0, 0, TimeUnit.MILLISECONDS);
    resources.timer().stop();
    resources.shutdown(0, 100, TimeUnit.MILLISECONDS);
    loop.close();
  }

  /** One sidecar, or one writer that does not beat. */
  private final class Heart implements StoreServers, RecordListener {
    private final StoreCalls calls = new StoreCalls(client, CONNECT_TIMEOUT.toNanos());
    private final RedisRecordStore records = new RedisRecordStore(this, KEYS, UserNames::of, null);
    private final FleetMembers members =
        new FleetMembers(calls, KEYS.service(), () -> "", (count, rank) -> {});
    private final AtomicBoolean beatsSoon = new AtomicBoolean();
    private RecordVersion version = RecordVersion.NONE;
    private long versionNs;

    private void follow() {
      records.listen(this);
      members.follow(records.feed());
      records.feed().begin(this::beatSoon);
    }

    boolean knows(int all) {
      return members.count() == all;
    }

    private synchronized void beat() {
      members.beat(server);
      beats.increment();
    }

    private void beatAndGoOn() {
      beat();
      schedule(this::beatAndGoOn, members.intervalMs());
    }

    private void beatSoon() {
      if (beatsSoon.compareAndSet(false, true)) {
        schedule(
            () -> {
              beatsSoon.set(false);
              beat();
            },
            SOON_MS);
      }
    }

    private void schedule(Runnable task, long delayMs) {
      try {
        threads.schedule(task, delayMs, TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException ended) {
        // Nobody measures any more.
      }
    }

    @Override
    public void rulesChanged(RecordVersion head) {
      schedule(this::read, 0);
    }

    private void read() {
      try {
        has(records.rules().head());
      } catch (RecordStoreException away) {
        schedule(this::read, SOON_MS);
      }
    }

    private void has(RecordVersion now) {
      synchronized (records) {
        if (now.number() <= version.number()) {
          return;
        }
        version = now;
        versionNs = System.nanoTime();
      }
      records.use(now, null);
    }

    /** When it had a version; 0 if it has not. */
    long hasNs(RecordVersion wanted) {
      synchronized (records) {
        return version.number() >= wanted.number() ? versionNs : 0;
      }
    }

    @Override
    public void userChanged(String identity, RecordVersion changed) {}

    @Override
    public void allUsersChanged() {}

    @Override
    public void usersCounted(long count) {}

    @Override
    public SocketAddress of(int partition) {
      return server;
    }

    @Override
    public void refresh() {}

    @Override
    public StoreCalls calls() {
      return calls;
    }

    @Override
    public StoreCalls userCalls() {
      return calls;
    }
  }
}
