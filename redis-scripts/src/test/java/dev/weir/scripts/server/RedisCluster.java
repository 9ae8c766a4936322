package dev.weir.scripts.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Three masters with a third of the slots each and a replica each. A node that does not answer for
 * 1.5 s counts as failed, and its replica takes over. Replicas stay with their master.
 */
public final class RedisCluster implements AutoCloseable {
  public static final int SLOT_COUNT = 16_384;

  private static final int MASTER_COUNT = 3;
  private static final int NODE_COUNT = 2 * MASTER_COUNT;
  private static final int NODE_TIMEOUT_MS = 1500;
  private static final int KEYS_PER_MOVE = 100;
  private static final int MOVE_TIMEOUT_MS = 30_000;

  private final List<RedisServer> nodes = new ArrayList<>();

  private RedisCluster() {}

  /** Starts it and returns once it serves every slot and every replica is in sync. */
  public static RedisCluster start(Path binary) throws IOException {
    return start(binary, options -> {});
  }

  /**
   * Starts a cluster with more options.
   *
   * @param more adds to the options of each node.
   */
  public static RedisCluster start(Path binary, Consumer<RedisServer.Builder> more)
      throws IOException {
    final RedisCluster cluster = new RedisCluster();
    try {
      for (int i = 0; i < NODE_COUNT; i++) {
        final RedisServer.Builder options =
            RedisServer.on(binary)
                .config("cluster-enabled", "yes")
                .config("cluster-node-timeout", Integer.toString(NODE_TIMEOUT_MS))
                .config("cluster-migration-barrier", Integer.toString(NODE_COUNT))
                .config("repl-diskless-sync", "yes")
                .config("repl-diskless-sync-delay", "0");
        more.accept(options);
        cluster.nodes.add(options.start());
      }
      cluster.form();
      return cluster;
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private void form() throws IOException {
    for (int i = 0; i < NODE_COUNT; i++) {
      final RedisServer node = nodes.get(i);
      node.text("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
      // Everyone meets everyone, rather than hear of them by and by.
      for (RedisServer other : nodes.subList(0, i)) {
        node.text("CLUSTER", "MEET", "127.0.0.1", Integer.toString(other.port()));
      }
      if (i < MASTER_COUNT) {
        final IntStream slots =
            IntStream.range(SLOT_COUNT * i / MASTER_COUNT, SLOT_COUNT * (i + 1) / MASTER_COUNT);
        node.text(
            Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), slots.mapToObj(Integer::toString))
                .toArray(String[]::new));
      }
    }
    for (int i = MASTER_COUNT; i < NODE_COUNT; i++) {
      final RedisServer replica = nodes.get(i);
      final String master = id(nodes.get(i - MASTER_COUNT));
      // Refused until it has heard of that master.
      Await.until(
          "replica " + replica,
          this::describe,
          () -> {
            try (RespClient client = replica.connect()) {
              return "OK".equals(client.call("CLUSTER", "REPLICATE", master));
            }
          });
    }
    Await.until(
        "replicas in sync",
        this::describe,
        () -> {
          for (RedisServer replica : nodes.subList(MASTER_COUNT, NODE_COUNT)) {
            if (!replica.text("INFO", "replication").contains("role:slave")) {
              return false;
            }
          }
          return true;
        });
    awaitOk();
  }

  /** All six, in the order of their start: the first three were masters then. */
  public List<RedisServer> nodes() {
    return List.copyOf(nodes);
  }

  /** The nodes that run now. */
  private List<RedisServer> running() {
    return nodes.stream().filter(RedisServer::isRunning).toList();
  }

  /** The slot of a key, as the servers compute it. */
  public int slotOf(String key) throws IOException {
    return Integer.parseInt(running().get(0).text("CLUSTER", "KEYSLOT", key));
  }

  /** The master that all running nodes name for the slot; waits until they agree. */
  public RedisServer masterOf(int slot) {
    return nodes.get(awaitOwners()[checked(slot)]);
  }

  /** The slots of which all running nodes name that master; waits until they agree. */
  public BitSet slotsOf(RedisServer master) {
    final int[] owners = awaitOwners();
    final BitSet slots = new BitSet(SLOT_COUNT);
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
      slots.set(slot, owners[slot] == nodes.indexOf(master));
    }
    return slots;
  }

  /** The running replica of the slot's master. */
  public RedisServer replicaOf(int slot) throws IOException {
    final RedisServer master = masterOf(slot);
    for (RedisServer node : running()) {
      if (node.text("INFO", "replication").contains("master_port:" + master.port() + "\r")) {
        return node;
      }
    }
    throw new IllegalStateException("slot " + slot + ": no replica of " + master + describe());
  }

  /** Kills (SIGKILL) the slot's master and returns it; {@link #awaitOk} waits for the next. */
  public RedisServer killMasterOf(int slot) {
    final RedisServer master = masterOf(slot);
    master.kill();
    return master;
  }

  /** Lets the replica of the slot's master take its place in agreement; returns the new master. */
  public RedisServer failover(int slot) throws IOException {
    final RedisServer replica = replicaOf(slot);
    replica.text("CLUSTER", "FAILOVER");
    Await.until("failover to " + replica, this::describe, () -> masterOf(slot) == replica);
    awaitOk();
    return replica;
  }

  /**
   * Moves a slot's keys to another master.
   *
   * @param finish whether the slot moves too. If not it stays between both, where the old master
   *     answers ASK for keys it does not have, until a call that finishes.
   */
  public void migrate(int slot, RedisServer to, boolean finish) throws IOException {
    final RedisServer from = masterOf(slot);
    final String number = Integer.toString(slot);
    to.text("CLUSTER", "SETSLOT", number, "IMPORTING", id(from));
    from.text("CLUSTER", "SETSLOT", number, "MIGRATING", id(to));
    try (RespClient client = from.connect()) {
      while (true) {
        final Object keys =
            client.call("CLUSTER", "GETKEYSINSLOT", number, Integer.toString(KEYS_PER_MOVE));
        if (!(keys instanceof List<?> list)) {
          throw new IllegalStateException("GETKEYSINSLOT: " + keys + " (expected: a list)");
        }
        if (list.isEmpty()) {
          break;
        }
        move(client, to, list);
      }
    }
    if (finish) {
      final String id = id(to);
      // The new owner first, so that at no time nobody has the slot.
      to.text("CLUSTER", "SETSLOT", number, "NODE", id);
      from.text("CLUSTER", "SETSLOT", number, "NODE", id);
      Await.until("slot " + slot + " to " + to, this::describe, () -> masterOf(slot) == to);
    }
  }

  private static void move(RespClient from, RedisServer to, List<?> keys) throws IOException {
    final List<String> texts = new ArrayList<>();
    texts.addAll(List.of("MIGRATE", "127.0.0.1", Integer.toString(to.port()), "", "0"));
    texts.add(Integer.toString(MOVE_TIMEOUT_MS));
    if (to.password() != null) {
      texts.addAll(List.of("AUTH", to.password()));
    }
    texts.add("KEYS");
    final List<byte[]> parts = new ArrayList<>(texts.stream().map(RespClient::bytes).toList());
    keys.forEach(key -> parts.add((byte[]) key));
    final Object reply = from.call(parts.toArray(byte[][]::new));
    if (!"OK".equals(reply)) {
      throw new IllegalStateException("MIGRATE: " + reply + " (expected: OK)");
    }
  }

  /**
   * Waits until every running node says that the cluster is ok and names the same running masters
   * for all slots, and every running replica is in sync.
   */
  public void awaitOk() {
    Await.until(
        "cluster ok",
        this::describe,
        () -> {
          for (RedisServer node : running()) {
            if (!node.text("CLUSTER", "INFO").contains("cluster_state:ok")) {
              return false;
            }
            final String replication = node.text("INFO", "replication");
            if (replication.contains("role:slave")
                && !replication.contains("master_link_status:up")) {
              return false;
            }
          }
          final int[] owners = agreedOwners();
          return owners != null
              && Arrays.stream(owners).allMatch(i -> i >= 0 && nodes.get(i).isRunning());
        });
  }

  private int[] awaitOwners() {
    final int[][] found = new int[1][];
    Await.until(
        "agreement on the slots",
        this::describe,
        () -> {
          found[0] = agreedOwners();
          return found[0] != null;
        });
    return found[0];
  }

  /** For each slot the index of its master, -1 for none; null while the running nodes differ. */
  private int[] agreedOwners() throws IOException {
    int[] agreed = null;
    for (RedisServer node : running()) {
      final int[] owners = owners(node);
      if (agreed != null && !Arrays.equals(agreed, owners)) {
        return null;
      }
      agreed = owners;
    }
    return agreed;
  }

  private int[] owners(RedisServer node) throws IOException {
    final Map<Long, Integer> indices = new HashMap<>();
    for (int i = 0; i < nodes.size(); i++) {
      indices.put((long) nodes.get(i).port(), i);
    }
    final int[] owners = new int[SLOT_COUNT];
    Arrays.fill(owners, -1);
    try (RespClient client = node.connect()) {
      for (Object range : (List<?>) client.call("CLUSTER", "SLOTS")) {
        final List<?> parts = (List<?>) range;
        final Object port = ((List<?>) parts.get(2)).get(1);
        Arrays.fill(
            owners,
            Math.toIntExact((Long) parts.get(0)),
            Math.toIntExact((Long) parts.get(1)) + 1,
            indices.get(port));
      }
    }
    return owners;
  }

  private static String id(RedisServer node) throws IOException {
    return node.text("CLUSTER", "MYID");
  }

  private static int checked(int slot) {
    if (slot < 0 || slot >= SLOT_COUNT) {
      throw new IllegalArgumentException(
          "slot: " + slot + " (expected: 0 to " + (SLOT_COUNT - 1) + ")");
    }
    return slot;
  }

  /** The state of each node, and its log. */
  private String describe() {
    return running().stream()
        .map(
            node -> {
              try {
                return node + "\n" + node.text("CLUSTER", "NODES") + node.log();
              } catch (IOException | IllegalStateException e) {
                return node + "\n" + e + '\n' + node.log();
              }
            })
        .collect(Collectors.joining("\n", "\n", ""));
  }

  /** Ends all nodes. */
  @Override
  public void close() {
    nodes.forEach(RedisServer::close);
  }
}
