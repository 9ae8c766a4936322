package dev.weir.scripts.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A master and a replica under three sentinels, two of which must agree. A master that does not
 * answer for 500 ms counts as down, and the replica is promoted.
 */
public final class RedisSentinels implements AutoCloseable {
  /** The name under which the sentinels know the master. */
  public static final String MASTER_NAME = "weir";

  private static final String HOST = "127.0.0.1";
  private static final int SENTINEL_COUNT = 3;
  private static final int QUORUM = 2;
  private static final int DOWN_AFTER_MS = 500;
  private static final int FAILOVER_TIMEOUT_MS = 3000;

  private final List<RedisServer> servers = new ArrayList<>();
  private final List<RedisServer> sentinels = new ArrayList<>();

  /** The password of the sentinels; null if they ask for none. */
  private final String password;

  /** Adds to the options of each server and of each sentinel. */
  private final Consumer<RedisServer.Builder> moreOfServers;

  private final Consumer<RedisServer.Builder> moreOfSentinels;

  private RedisSentinels(
      String password,
      Consumer<RedisServer.Builder> moreOfServers,
      Consumer<RedisServer.Builder> moreOfSentinels) {
    this.password = password;
    this.moreOfServers = moreOfServers;
    this.moreOfSentinels = moreOfSentinels;
  }

  /** Starts all five and returns once the replica is in sync and every sentinel knows the rest. */
  public static RedisSentinels start(Path binary) throws IOException {
    return start(binary, (String) null);
  }

  /**
   * Starts sentinels that ask for a password, also of each other.
   *
   * @param password of the sentinels; the servers that they watch have none. Null for none.
   */
  public static RedisSentinels start(Path binary, String password) throws IOException {
    return start(binary, new RedisSentinels(password, options -> {}, options -> {}));
  }

  /** Starts them with more options for each server, and for each sentinel. */
  public static RedisSentinels start(
      Path binary,
      Consumer<RedisServer.Builder> moreOfServers,
      Consumer<RedisServer.Builder> moreOfSentinels)
      throws IOException {
    return start(binary, new RedisSentinels(null, moreOfServers, moreOfSentinels));
  }

  private static RedisSentinels start(Path binary, RedisSentinels all) throws IOException {
    try {
      all.startServers(binary);
      all.startSentinels(binary);
      return all;
    } catch (IOException | RuntimeException e) {
      all.close();
      throw e;
    }
  }

  private void startServers(Path binary) throws IOException {
    final RedisServer master = server(binary).start();
    servers.add(master);
    final RedisServer replica =
        server(binary).config("replicaof", "127.0.0.1", Integer.toString(master.port())).start();
    servers.add(replica);
    Await.until(
        "replica in sync",
        this::logs,
        () ->
            replica.text("INFO", "replication").contains("master_link_status:up")
                && master.text("INFO", "replication").contains("state=online"));
  }

  private RedisServer.Builder server(Path binary) {
    final RedisServer.Builder server =
        RedisServer.on(binary)
            .config("repl-diskless-sync", "yes")
            .config("repl-diskless-sync-delay", "0");
    moreOfServers.accept(server);
    return server;
  }

  /** Each knows of the others from the start: to hear of them takes two seconds. */
  private void startSentinels(Path binary) throws IOException {
    final int[] ports = IntStream.generate(FreePorts::next).limit(SENTINEL_COUNT).toArray();
    for (int i = 0; i < SENTINEL_COUNT; i++) {
      final RedisServer.Builder sentinel =
          RedisServer.on(binary)
              .port(ports[i])
              .sentinel()
              .config("sentinel", "myid", id(i))
              .config("sentinel", "monitor", MASTER_NAME, HOST, port(servers.get(0)), "" + QUORUM)
              .config("sentinel", "down-after-milliseconds", MASTER_NAME, "" + DOWN_AFTER_MS)
              .config("sentinel", "failover-timeout", MASTER_NAME, "" + FAILOVER_TIMEOUT_MS)
              .config("sentinel", "known-replica", MASTER_NAME, HOST, port(servers.get(1)));
      for (int other = 0; other < SENTINEL_COUNT; other++) {
        if (other != i) {
          sentinel.config(
              "sentinel", "known-sentinel", MASTER_NAME, HOST, "" + ports[other], id(other));
        }
      }
      if (password != null) {
        sentinel.sentinelPassword(password);
      }
      moreOfSentinels.accept(sentinel);
      sentinels.add(sentinel.start());
    }
    for (RedisServer sentinel : sentinels) {
      Await.until("sentinel " + sentinel, this::logs, () -> hasTheRest(sentinel));
    }
  }

  private static String port(RedisServer server) {
    return Integer.toString(server.port());
  }

  /** The name that a sentinel has among the others. */
  private static String id(int sentinel) {
    return Integer.toString(sentinel).repeat(40);
  }

  /** Whether it is connected to the other sentinels, and has heard from the replica. */
  private static boolean hasTheRest(RedisServer sentinel) throws IOException {
    try (RespClient client = sentinel.connect()) {
      final List<?> others = (List<?>) client.call("SENTINEL", "SENTINELS", MASTER_NAME);
      final List<?> replicas = (List<?>) client.call("SENTINEL", "REPLICAS", MASTER_NAME);
      return others.size() == SENTINEL_COUNT - 1
          && others.stream().allMatch(other -> field(texts(other), "flags").equals("sentinel"))
          && replicas.size() == 1
          && field(texts(replicas.get(0)), "master-link-status").equals("ok");
    }
  }

  private static List<String> texts(Object reply) {
    return ((List<?>) reply).stream().map(RespClient::textOf).toList();
  }

  private static String field(List<String> fields, String name) {
    return fields.get(fields.indexOf(name) + 1);
  }

  /** The three sentinels. */
  public List<RedisServer> sentinels() {
    return List.copyOf(sentinels);
  }

  /** The port of the master as one sentinel says, which may be the old one for a while. */
  public int resolve(RedisServer sentinel) throws IOException {
    try (RespClient client = sentinel.connect()) {
      return Integer.parseInt(
          texts(client.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME)).get(1));
    }
  }

  /** The server that all running sentinels name and that takes itself for a master; waits. */
  public RedisServer master() {
    final List<RedisServer> found = new ArrayList<>();
    Await.until(
        "agreement on the master",
        this::logs,
        () -> {
          for (RedisServer server : servers) {
            if (server.isRunning()
                && isNamedByAll(server)
                && server.text("INFO", "replication").contains("role:master")) {
              found.add(server);
              return true;
            }
          }
          return false;
        });
    return found.get(0);
  }

  private boolean isNamedByAll(RedisServer server) throws IOException {
    for (RedisServer sentinel : sentinels) {
      if (sentinel.isRunning() && resolve(sentinel) != server.port()) {
        return false;
      }
    }
    return true;
  }

  /** The server that is not the master, running or not. */
  public RedisServer replica() {
    return servers.get(servers.get(0) == master() ? 1 : 0);
  }

  /**
   * Waits until the replica has all that the master was told: it counts when the master is gone.
   */
  public void awaitReplica() {
    final RedisServer master = master();
    final RedisServer replica = replica();
    Await.until("the replica has it", this::logs, () -> offset(replica).equals(offset(master)));
  }

  private static String offset(RedisServer server) throws IOException {
    return server
        .text("INFO", "replication")
        .lines()
        .filter(line -> line.startsWith("master_repl_offset:"))
        .findFirst()
        .orElseThrow();
  }

  /**
   * Kills (SIGKILL) the master and returns it; {@link #awaitPromotion} waits for the next. Should
   * it be restarted, it takes itself for a master until the sentinels say otherwise 8 s later.
   */
  public RedisServer killMaster() {
    final RedisServer master = master();
    master.kill();
    return master;
  }

  /** Waits until another than that is {@link #master}, and returns it. */
  public RedisServer awaitPromotion(RedisServer old) {
    Await.until("promotion after " + old, this::logs, () -> master() != old);
    return master();
  }

  private String logs() {
    return Stream.concat(servers.stream(), sentinels.stream())
        .map(server -> server + "\n" + server.log())
        .collect(Collectors.joining("\n"));
  }

  /** Ends the sentinels, then the servers. */
  @Override
  public void close() {
    sentinels.forEach(RedisServer::close);
    servers.forEach(RedisServer::close);
  }
}
