package dev.weir.proxy.rig;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A fleet whose store stands behind a proxy that can spoil it. Budgets are counted in windows of a
 * year, so that what a server was charged can be read from its keys.
 */
public final class StoreRig implements AutoCloseable {
  public static final String DECIDING = "weir_store_connections_deciding";
  public static final String FALLBACK_ALLOWED = "weir_store_fallback_allowed_total";

  public final RedisServer redis;
  public final FaultProxy faults;
  public final Fleet fleet;
  private final RawClient client;

  /** One sidecar. */
  public StoreRig(RedisServer redis, String... flags) throws Exception {
    this(1, redis, flags);
  }

  public StoreRig(int size, RedisServer redis, String... flags) throws Exception {
    this.redis = redis;
    redis.text("FLUSHALL");
    faults = new FaultProxy(redis.port());
    List<String> all = new ArrayList<>(List.of("--algorithm", "fixed-window"));
    all.addAll(List.of(flags));
    fleet = new Fleet(size, "127.0.0.1:" + faults.port(), all.toArray(String[]::new));
    awaitDeciding(); // a cold and busy machine may take longer than a start waits
    client = fleet.rig(0).connect();
  }

  /** Sends one request to the first sidecar. */
  public RawClient.Response ask(String user) throws IOException {
    return client.send(Fleet.get(user)).read();
  }

  /** How many of so many requests, one after the other, got that status. */
  public int count(int status, int requests, String user) throws IOException {
    int count = 0;
    for (int i = 0; i < requests; i++) {
      count += ask(user).status() == status ? 1 : 0;
    }
    return count;
  }

  public double metric(String nameAndLabels) throws IOException {
    return fleet.sum(nameAndLabels);
  }

  public double undecided(String reason) throws IOException {
    return metric("weir_store_undecided_total{reason=\"" + reason + "\"}");
  }

  /** Waits until all sidecars have a connection that decides. */
  public void awaitDeciding() throws Exception {
    fleet.deciding(1);
  }

  /** Asks for a user of whom nobody knows until the budget is spent: it is kept to exactly. */
  public void assertExact(int budget, String user) throws IOException {
    assertExact(budget, 0, client, user);
    assertEquals(budget, charged(user));
  }

  /**
   * Asks until the budget is spent: it is kept to exactly. A busy machine may let a request wait
   * for longer than the deadline of its decision, and then nobody can tell whether it was charged;
   * those are few.
   *
   * @param spent what has passed before.
   */
  public static void assertExact(int budget, int spent, RawClient client, String user)
      throws IOException {
    int passed = spent;
    int undecided = 0;
    int status = 0;
    while (status != 429) {
      status = client.send(Fleet.get(user)).read().status();
      assertTrue(status == 200 || status == 429 || status == 503, user + ": " + status);
      passed += status == 200 ? 1 : 0;
      undecided += status == 503 ? 1 : 0;
      assertTrue(passed <= budget && undecided < 5, user + ": " + passed + ", 503 " + undecided);
    }
    assertTrue(passed + undecided >= budget, user + ": " + passed + ", 503 " + undecided);
  }

  /** Asks for users of whom nobody knows until one of them is decided about; that one. */
  public String askDecided(String prefix) throws IOException {
    for (int i = 0; ; i++) {
      if (ask(prefix + i).status() == 200) {
        return prefix + i;
      }
      assertTrue(i < 5, prefix + ": nobody is decided about");
    }
  }

  public long charged(String user) throws IOException {
    return charged(redis, user);
  }

  /** What a server was charged for a user, in requests of cost 1. */
  public static long charged(RedisServer redis, String user) throws IOException {
    try (RespClient store = redis.connect()) {
      List<?> keys = (List<?>) store.call("KEYS", "rl:*:" + user + ":*");
      if (keys.isEmpty()) {
        return 0;
      }
      assertEquals(1, keys.size());
      ByteBuffer value =
          ByteBuffer.wrap((byte[]) store.call("GET", RespClient.textOf(keys.get(0))));
      assertEquals('F', value.get(0));
      return (long) value.order(ByteOrder.LITTLE_ENDIAN).getDouble(25);
    }
  }

  /** Ten ask the first sidecar without a pause, and meanwhile something is done; all statuses. */
  public List<Integer> underLoad(String user, Callable<Void> meanwhile) throws Exception {
    int threads = 10;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    AtomicBoolean done = new AtomicBoolean();
    try {
      List<Future<List<Integer>>> all = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        String name = user + i;
        Callable<List<Integer>> ask =
            () -> {
              List<Integer> statuses = new ArrayList<>();
              try (RawClient client = fleet.rig(0).connect()) {
                while (!done.get()) {
                  statuses.add(client.send(Fleet.get(name)).read().status());
                }
              }
              return statuses;
            };
        all.add(pool.submit(ask));
      }
      meanwhile.call();
      done.set(true);
      List<Integer> statuses = new ArrayList<>();
      for (Future<List<Integer>> one : all) {
        statuses.addAll(one.get());
      }
      return statuses;
    } finally {
      done.set(true);
      pool.shutdownNow();
    }
  }

  @Override
  public void close() throws IOException {
    client.close();
    faults.pass();
    fleet.close();
    faults.close();
  }
}
