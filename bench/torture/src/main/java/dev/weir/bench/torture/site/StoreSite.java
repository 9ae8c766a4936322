package dev.weir.bench.torture.site;

import dev.weir.bench.torture.plan.FaultPlan;
import dev.weir.bench.torture.plan.Plan;
import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.RedisBinary;
import dev.weir.scripts.server.RedisCluster;
import dev.weir.scripts.server.RedisSentinels;
import dev.weir.scripts.server.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
  private final Plan.StoreKind kind;
  private final String nodes;
  private RedisSentinels sentinels;
  private RedisCluster cluster;
  private FaultProxy proxy;

  StoreSite(Plan.StoreKind kind) throws IOException {
    this.kind = kind;
    final Path binary = RedisBinary.installed().orElseGet(RedisBinary::embedded);
    try {
      nodes = start(binary);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private String start(Path binary) throws IOException {
    switch (kind) {
      case STANDALONE -> {
        servers.add(started(RedisServer.on(binary).start()));
        proxy = started(new FaultProxy(servers.get(0).port()));
        return "nodes: [127.0.0.1:" + proxy.port() + "]";
      }
      case SHARDED -> {
        servers.add(started(RedisServer.on(binary).start()));
        servers.add(started(RedisServer.on(binary).start()));
        return "topology: sharded, nodes: " + addresses(servers);
      }
      case SENTINEL -> {
        sentinels = started(RedisSentinels.start(binary));
        return "topology: sentinel, sentinel-master: "
            + RedisSentinels.MASTER_NAME
            + ", nodes: "
            + addresses(sentinels.sentinels());
      }
      case CLUSTER -> {
        cluster = started(RedisCluster.start(binary));
        servers.addAll(cluster.nodes());
        return "topology: cluster, nodes: " + addresses(servers.subList(0, 3));
      }
      default -> throw new IllegalStateException(kind.toString());
    }
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
      case REPLIES_DELAYED -> spoil(fault, () -> proxy.delayReplies(DELAY_MS));
      case REPLIES_DROPPED -> spoil(fault, () -> proxy.dropReplies(DROPPED));
      case REPLIES_TRICKLED -> spoil(fault, () -> proxy.trickle(PIECE_BYTES, 2));
      case STORE_CUT_OFF -> spoil(fault, proxy::blackhole);
      case STORE_REFUSES -> spoil(fault, proxy::refuse);
      default -> throw new IllegalArgumentException(fault.toString());
    }
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
