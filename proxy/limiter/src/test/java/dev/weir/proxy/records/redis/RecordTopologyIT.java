package dev.weir.proxy.records.redis;

import static dev.weir.proxy.records.redis.RecordsRig.ANN;
import static dev.weir.proxy.records.redis.RecordsRig.rule;
import static dev.weir.proxy.records.redis.RecordsRig.user;
import static dev.weir.proxy.records.redis.RecordsRig.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.RecordWrite;
import dev.weir.proxy.records.StaleRecordException;
import dev.weir.proxy.records.StoredRecord;
import dev.weir.proxy.records.UserPage;
import dev.weir.proxy.store.map.StoreLogin;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.store.map.Topology;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisCluster;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisSentinels;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records on several servers, of each topology, and while these change. */
@Timeout(120)
class RecordTopologyIT {
  private static StoreSettings settings(Topology topology, String master, RedisServer... servers) {
    int[] ports = new int[servers.length];
    for (int i = 0; i < servers.length; i++) {
      ports[i] = servers[i].port();
    }
    return RecordsRig.settings(topology, master, StoreLogin.NONE, ports);
  }

  private static Set<String> users(RecordStore records) throws RecordStoreException {
    Set<String> found = new HashSet<>();
    String after = null;
    do {
      UserPage page = records.users(after, 10);
      page.users().forEach(each -> found.add(each.name().id()));
      after = page.next();
    } while (after != null);
    return found;
  }

  @Test
  void usersAreSpreadOverClientShardedServersAndRulesAreOnOne() throws Exception {
    Set<String> wanted = new HashSet<>();
    List<RecordWrite> writes = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      wanted.add("u" + i);
      writes.add(write(user("u" + i), RecordVersion.NONE, "{}"));
    }
    try (RedisServer one = RedisKind.EMBEDDED.start();
        RedisServer other = RedisKind.EMBEDDED.start();
        RecordsRig rig = new RecordsRig(settings(Topology.SHARDED, null, one, other));
        RecordsRig reader = new RecordsRig(settings(Topology.SHARDED, null, one, other))) {
      rig.records.writeRules(null, List.of(write(rule("a"), null, "1")), ANN);
      rig.records.writeUsers(writes, ANN);
      assertEquals(wanted, users(reader.records));
      int spread = 0;
      for (RedisServer each : List.of(one, other)) {
        int partitions = partitions(each);
        assertTrue(partitions > 0, each + " has users");
        spread += partitions;
      }
      assertTrue(spread > 10, spread + " partitions");
      Await.until("told", () -> reader.told.lines.contains("count 40"));
      assertEquals("1", reader.records.rules().records().get(0).json());
      assertEquals(2, reader.records.sidecars().size());
      rig.records.writeUsers(
          wanted.stream().map(each -> write(user(each), null, null)).toList(), ANN);
      assertEquals(Set.of(), users(reader.records));
      Await.until("told", () -> reader.told.lines.contains("count 0"));
    }
  }

  private static int partitions(RedisServer server) throws Exception {
    try (RespClient client = server.connect()) {
      return ((List<?>) client.call("KEYS", "rl:*:users:shop")).size();
    }
  }

  /** A writer that adds one to a user's record, again and again. */
  private static final class Adding {
    final AtomicInteger acknowledged = new AtomicInteger();
    final AtomicInteger unknown = new AtomicInteger();
    final AtomicBoolean ends = new AtomicBoolean();

    Void run(RecordStore records, String user) throws RecordStoreException {
      while (!ends.get()) {
        try {
          StoredRecord present = records.user(user).orElseThrow();
          String next = Integer.parseInt(present.json()) + 1 + "";
          try {
            records.writeUser(write(user(user), present.version(), next), ANN);
            acknowledged.incrementAndGet();
          } catch (RecordStoreException mayBeMade) {
            unknown.incrementAndGet();
          } catch (StaleRecordException alreadyMade) {
            // By a call before, which was not answered.
          }
        } catch (RecordStoreException moving) {
          // The next one finds the server.
        }
      }
      return null;
    }
  }

  @Test
  void losesNoWriteOfAUserWhoseSlotMoves() throws Exception {
    try (RedisCluster cluster = RedisCluster.start(RedisKind.EMBEDDED.binary());
        RecordsRig rig =
            new RecordsRig(
                settings(Topology.CLUSTER, null, cluster.nodes().toArray(RedisServer[]::new)))) {
      awaitWritten("a user", () -> rig.records.writeUser(write(user("u"), null, "0"), ANN));
      int slot = cluster.slotOf("rl:{p%03d}:users:shop".formatted(RecordKeys.partition("u")));
      RedisServer from = cluster.masterOf(slot);
      RedisServer to =
          cluster.nodes().stream()
              .filter(node -> node != from && !cluster.slotsOf(node).isEmpty())
              .findFirst()
              .orElseThrow();
      Adding adding = new Adding();
      ExecutorService writer = Executors.newSingleThreadExecutor();
      try {
        Future<Void> running = writer.submit(() -> adding.run(rig.records, "u"));
        Await.until("some", () -> adding.acknowledged.get() > 5);
        cluster.migrate(slot, to, true);
        int before = adding.acknowledged.get();
        Await.until("some at the other server", () -> adding.acknowledged.get() > before + 5);
        adding.ends.set(true);
        running.get();
      } finally {
        adding.ends.set(true);
        writer.shutdown();
      }
      int last = Integer.parseInt(rig.records.user("u").orElseThrow().json());
      int least = adding.acknowledged.get();
      assertTrue(
          least <= last && last <= least + adding.unknown.get(),
          last + " of " + least + ", and " + adding.unknown + " that may have been made");
      assertEquals(Set.of("u"), users(rig.records));
    }
  }

  @Test
  void followsTheVersionThatIsWrittenInPlaceOfALostOneAndReadsFromAReplica() throws Exception {
    try (RedisSentinels sentinels = RedisSentinels.start(RedisKind.EMBEDDED.binary())) {
      StoreSettings settings =
          settings(
              Topology.SENTINEL,
              RedisSentinels.MASTER_NAME,
              sentinels.sentinels().toArray(RedisServer[]::new));
      try (RecordsRig one = new RecordsRig(settings);
          RecordsRig other = new RecordsRig(settings)) {
        RecordVersion first = put(one, "1");
        sentinels.awaitReplica();
        RedisServer replica = sentinels.replica();
        readsAndRefusesWrites(replica, first);
        put(one, "1");
        assertEquals(true, one.records.isCopied(List.of(rule("a"))));

        replica.pause();
        put(one, "2");
        assertEquals(false, one.records.isCopied(List.of(rule("a"))));
        sentinels.master().text("CLIENT", "KILL", "TYPE", "replica");
        RecordVersion lost = put(one, "lost");
        assertNull(one.records.isCopied(List.of(rule("a"))));
        Await.until("told", () -> other.told.lines.contains("rules " + lost.number()));
        long toldBefore = toldOfRules(other);
        RedisServer old = sentinels.killMaster();
        replica.resume();
        sentinels.awaitPromotion(old);
        awaitWritten("the promoted server is used", () -> put(one, "again"));
        RecordVersion again = one.records.rules().head();
        assertNotEquals(lost, again);
        Await.until("told of one of the same number", () -> toldOfRules(other) > toldBefore);
        for (RecordsRig each : List.of(one, other)) {
          Await.until("the same version", () -> each.records.rules().head().equals(again));
          assertEquals("\"again\"", each.records.rules().records().get(0).json());
          each.records.use(again, null);
        }
        Await.until(
            "both follow it",
            () ->
                one.records.sidecars().stream().filter(each -> each.inUse().equals(again)).count()
                    == 2);
      }
    }
  }

  private static long toldOfRules(RecordsRig rig) {
    return rig.told.lines.stream().filter(line -> line.startsWith("rules ")).count();
  }

  /** Waits until a write is answered: of servers that have just started, or have changed. */
  private static void awaitWritten(String what, Callable<?> write) {
    Await.until(
        what,
        () -> {
          try {
            write.call();
            return true;
          } catch (RecordStoreException notYet) {
            return false;
          }
        });
  }

  private static RecordVersion put(RecordsRig rig, String value) throws Exception {
    return rig.records.writeRules(null, List.of(write(rule("a"), null, "\"" + value + "\"")), ANN);
  }

  private static void readsAndRefusesWrites(RedisServer replica, RecordVersion head)
      throws Exception {
    try (RecordsRig reader = new RecordsRig(settings(Topology.STANDALONE, null, replica))) {
      assertEquals(head, reader.records.rules().head());
      String fault = assertThrows(RecordStoreException.class, () -> put(reader, "x")).getMessage();
      assertTrue(fault.contains("READONLY") && !fault.contains("perhaps"), fault);
      assertEquals(head, reader.records.rules().head());
    }
  }
}
