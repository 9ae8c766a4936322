package dev.weir.bench.torture.site;

import dev.weir.bench.torture.plan.FaultPlan;
import dev.weir.bench.torture.plan.Plan;
import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.RedisBinary;
import dev.weir.scripts.server.RedisCluster;
import dev.weir.scripts.server.RedisSentinels;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.SelfSignedCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The store, of any topology, and the faults that it can have. One thread uses it. */
final class StoreSite implements AutoCloseable {
  /** After a failover some servers and sidecars still believe in the old master. */
  private static final long FAILOVER_MS = 4_000;

  private static final int DELAY_MS = 120;
  private static final int DROPPED = 20;
  private static final int PIECE_BYTES = 7;

  private final List<AutoCloseable> parts = new ArrayList<>();
  private final List<RedisServer> servers = new ArrayList<>();
  private static final String USER = "weir";
  private static final String PASSWORD = "of-the-torture-run";

  /** The rights that docs/fleet.md says Weir's user needs, and no more. */
  static final String RIGHTS =
      "~rl:* resetchannels &rl:reset +evalsha +eval +script|load +time +mget +set +del +exists"
          + " +zadd +zcard +zrange +zrem +zremrangebyscore +pexpire +info +subscribe +hget +hset"
          + " +hdel +hmget +hgetall +zrangebyscore";

  static final String RIGHTS_IN_CLUSTER = "+cluster|slots +asking";

  /** A server evicts keys until it has so many bytes less. */
  private static final int EVICTED_BYTES = 30_000;

  /** The store's partitions have hash tags of these numbers (docs/fleet.md). */
  private static final int PARTITIONS = 128;

  private final Plan.StoreKind kind;
  private final DayClock clock;
  private final String nodes;
  private RedisSentinels sentinels;
  private RedisCluster cluster;
  private FaultProxy proxy;

  /**
   * Starts it.
   *
   * @param folder for files, there and empty.
   * @param clock of its first server.
   */
  StoreSite(Plan plan, Path folder, DayClock clock) throws IOException {
    kind = plan.store();
    this.clock = clock;
    final Path binary = RedisBinary.installed().orElseGet(RedisBinary::embedded);
    try {
      nodes =
          plan.storeSecured()
              ? startSecured(binary, folder)
              : start(binary, options -> {}, options -> {});
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Starts servers, and sentinels if it has some, with more options of each. */
  private String start(
      Path binary,
      Consumer<RedisServer.Builder> ofServers,
      Consumer<RedisServer.Builder> ofSentinels)
      throws IOException {
    final Supplier<RedisServer.Builder> server =
        () -> {
          final RedisServer.Builder options = RedisServer.on(binary);
          ofServers.accept(options);
          return options;
        };
    return switch (kind) {
      case STANDALONE -> {
        servers.add(started(server.get().environment(clock.environment()).start()));
        proxy = started(new FaultProxy(servers.get(0).port()));
        yield "nodes: [127.0.0.1:" + proxy.port() + "]";
      }
      case SHARDED -> {
        servers.add(started(server.get().environment(clock.environment()).start()));
        servers.add(started(server.get().start()));
        yield "topology: sharded, nodes: " + addresses(servers);
      }
      case SENTINEL -> {
        sentinels = started(RedisSentinels.start(binary, ofServers, ofSentinels));
        yield "topology: sentinel, sentinel-master: "
            + RedisSentinels.MASTER_NAME
            + ", nodes: "
            + addresses(sentinels.sentinels());
      }
      case CLUSTER -> {
        cluster = started(RedisCluster.start(binary, ofServers));
        servers.addAll(cluster.nodes());
        yield "topology: cluster, nodes: " + addresses(servers.subList(0, 3));
      }
    };
  }

  /** Servers that speak TLS and know one user, with the rights that it needs and no others. */
  private String startSecured(Path binary, Path folder) throws IOException {
    final SelfSignedCertificate certificate = new SelfSignedCertificate();
    final List<String> rights = new ArrayList<>(List.of("on", ">" + PASSWORD));
    rights.addAll(List.of(RIGHTS.split(" ")));
    if (kind == Plan.StoreKind.CLUSTER) {
      rights.addAll(List.of(RIGHTS_IN_CLUSTER.split(" ")));
    }
    final Path password = folder.resolve("password");
    Files.writeString(password, PASSWORD + "\n");
    final String nodes =
        start(
            binary,
            options -> options.tls(certificate).user(USER, rights.toArray(String[]::new)),
            options -> options.tls(certificate));
    return "tls: true, tls-ca: %s, username: %s, password-file: %s, %s"
        .formatted(certificate.writeCertificate(folder), USER, password, nodes);
  }

  private <T extends AutoCloseable> T started(T part) {
    parts.add(part);
    return part;
  }

  private static String addresses(List<RedisServer> servers) {
    return servers.stream().map(RedisServer::toString).collect(Collectors.joining(", ", "[", "]"));
  }

  /** What a sidecar's settings say of it, within braces. */
  String settings() {
    return nodes;
  }

  /** Happens, and is over when this returns. */
  void happen(FaultPlan fault) throws IOException, InterruptedException {
    switch (fault.kind()) {
      case STORE_KILLED -> kill(fault);
      case STORE_HUNG -> {
        final RedisServer server = server(fault);
        server.pause();
        TimeUnit.MILLISECONDS.sleep(fault.lastsMs());
        server.resume();
        settle();
      }
      case SCRIPT_FLUSHED -> server(fault).text("SCRIPT", "FLUSH");
      case STORE_FULL -> {
        final RedisServer server = server(fault);
        server.text("CONFIG", "SET", "maxmemory", "1");
        TimeUnit.MILLISECONDS.sleep(fault.lastsMs());
        server.text("CONFIG", "SET", "maxmemory", "0");
      }
      case STORE_EVICTS -> evict(fault);
      case STORE_CLOCK_SET -> {
        clock.set(fault.stepNs());
        TimeUnit.MILLISECONDS.sleep(fault.lastsMs());
        clock.set(0);
      }
      case SLOT_MOVED -> moveSlot(fault);
      case WRITES_LOST -> {
        final RedisServer master = sentinels.master();
        master.text("ACL", "SETUSER", "default", "-psync", "-sync");
        master.text("CLIENT", "KILL", "TYPE", "replica");
        TimeUnit.MILLISECONDS.sleep(fault.lastsMs());
        kill(fault);
      }
      case REPLIES_DELAYED -> spoil(fault, () -> proxy.delayReplies(DELAY_MS));
      case REPLIES_DROPPED -> spoil(fault, () -> proxy.dropReplies(DROPPED));
      case REPLIES_TRICKLED -> spoil(fault, () -> proxy.trickle(PIECE_BYTES, 2));
      case STORE_CUT_OFF -> spoil(fault, proxy::blackhole);
      case STORE_REFUSES -> spoil(fault, proxy::refuse);
      default -> throw new IllegalArgumentException(fault.toString());
    }
  }

  private void evict(FaultPlan fault) throws IOException, InterruptedException {
    final RedisServer server = server(fault);
    final long used =
        server
            .text("INFO", "memory")
            .lines()
            .filter(line -> line.startsWith("used_memory:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
            .findFirst()
            .orElseThrow();
    server.text("CONFIG", "SET", "maxmemory-policy", "allkeys-random");
    server.text("CONFIG", "SET", "maxmemory", Long.toString(used - EVICTED_BYTES));
    TimeUnit.MILLISECONDS.sleep(fault.lastsMs());
    server.text("CONFIG", "SET", "maxmemory", "0");
    server.text("CONFIG", "SET", "maxmemory-policy", "noeviction");
  }

  /** Moves the next slot that has keys, if there is one. */
  private void moveSlot(FaultPlan fault) throws IOException, InterruptedException {
    for (int i = 0; i < PARTITIONS; i++) {
      final int slot = cluster.slotOf("{p" + (fault.target() + i) % PARTITIONS + "}");
      final RedisServer from = cluster.masterOf(slot);
      final String keys = from.text("CLUSTER", "COUNTKEYSINSLOT", Integer.toString(slot));
      if (Integer.parseInt(keys) > 0) {
        final RedisServer to =
            cluster.masterOf((slot + RedisCluster.SLOT_COUNT / 2) % RedisCluster.SLOT_COUNT);
        cluster.migrate(slot, to, false);
        TimeUnit.MILLISECONDS.sleep(fault.lastsMs());
        cluster.migrate(slot, to, true);
        return;
      }
    }
  }

  /** Whether a fault can happen on this machine. */
  boolean canHappen(FaultPlan.Kind fault) {
    return fault != FaultPlan.Kind.STORE_CLOCK_SET || clock.canBeSet();
  }

  private RedisServer server(FaultPlan fault) {
    return kind == Plan.StoreKind.SENTINEL
        ? sentinels.master()
        : servers.get(fault.target() % servers.size());
  }

  private void kill(FaultPlan fault) throws IOException, InterruptedException {
    final RedisServer server = server(fault);
    server.kill();
    TimeUnit.MILLISECONDS.sleep(fault.lastsMs());
    server.restart();
    settle();
  }

  /** Waits until a failover that may have begun is over. */
  private void settle() throws InterruptedException {
    if (kind == Plan.StoreKind.SENTINEL || kind == Plan.StoreKind.CLUSTER) {
      TimeUnit.MILLISECONDS.sleep(FAILOVER_MS);
    }
  }

  private void spoil(FaultPlan fault, Runnable spoiling) throws InterruptedException {
    spoiling.run();
    TimeUnit.MILLISECONDS.sleep(fault.lastsMs());
    proxy.pass();
  }

  @Override
  public void close() {
    for (int i = parts.size() - 1; i >= 0; i--) {
      try {
        parts.get(i).close();
      } catch (Exception e) {
        // The others shall end, too.
        continue;
      }
    }
  }
}
