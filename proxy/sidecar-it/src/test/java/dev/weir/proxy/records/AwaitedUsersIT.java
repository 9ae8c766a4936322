package dev.weir.proxy.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.redis.RecordKeys;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.FourWays;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The first request of a user whom a sidecar has not met, decided by the user's record. */
@Timeout(120)
class AwaitedUsersIT {
  private static final Author ANN = new Author("ann", "10.0.0.1", "r1", "");
  private static final RedisServer redis = RedisServer.shared();

  @TempDir private Path folder;

  @BeforeEach
  void start() throws Exception {
    redis.text("FLUSHALL");
  }

  /** Of the limit a user of no tier has nothing left after one request. */
  private static String settings(String store, String records, String mode) {
    return FourWays.SETTINGS
        + """
        service: shop
        redis: {%s}
        records: {%s}
        users: {identity: "header:x-user-id", tiers: [free, premium], directory: shop}
        rules:
          - id: r
            match: {path: /**}
            mode: %s
            key: header:x-user-id
            limits:
              - {name: month, limit: 1/30d, algorithm: fixed-window, tiers: {premium: 2/30d}}
        """
            .formatted(store, records, mode);
  }

  private static void write(Rig rig, List<String> users) throws Exception {
    List<RecordWrite> premium =
        users.stream()
            .map(
                user ->
                    new RecordWrite(
                        new RecordName(Kind.USER, user),
                        null,
                        UserRecord.EMPTY.withTier("premium").toJson()))
            .toList();
    rig.sidecar.records().store().writeUsers(premium, ANN);
  }

  private static List<String> users(int count) {
    return IntStream.range(0, count).mapToObj(i -> "user" + i).toList();
  }

  private static void awaitRecords(Rig rig, int count) throws Exception {
    Await.until("it knows that there are records", () -> rig.metric("weir_records_users") == count);
  }

  /** How much a user has, as the answer to a request says. */
  private static String limit(RawClient client, String user) throws Exception {
    String head =
        client.send("GET / HTTP/1.1\r\nHost: a\r\nX-User-Id: " + user + "\r\n\r\n").read().head();
    return head.replaceAll("(?s).*RateLimit-Policy: \"month\";q=(\\d+).*", "$1");
  }

  /**
   * On a busy machine a record may come after the deadline; but a first request that does not wait
   * for it is never decided by it.
   */
  @Test
  void inEachWayAFirstRequestHasWhatTheRecordSays() throws Exception {
    Iterator<String> users = users(200).iterator();
    String settings =
        settings("deadline: 1s, nodes: " + Fleet.node(redis), "store: redis", "exact");
    try (Fleet fleet = Fleet.ofFile(2, settings).deciding(1);
        FourWays met = new FourWays(fleet.rig(0));
        FourWays fresh = new FourWays(fleet.rig(1))) {
      write(fleet.rig(0), users(200));
      awaitRecords(fleet.rig(0), 200);
      awaitRecords(fleet.rig(1), 200);
      for (int way = 0; way < 4; way++) {
        FourWays.Way first = met.all().get(way);
        FourWays.Way second = fresh.all().get(way);
        Await.until(
            "one of two was used: way " + way,
            () -> {
              String user = users.next();
              return first.ask("/", user).isEmpty()
                  && second.ask("/", user).isEmpty()
                  && !second.ask("/", user).isEmpty();
            });
      }
    }
  }

  /** On a busy machine a reading may take longer than the deadline; most do not. */
  @Test
  void recordsInAFolderAreReadBeforeAFirstRequestIsDecidedToo() throws Exception {
    String records = "store: file, folder: " + folder.resolve("kept");
    try (Fleet fleet = Fleet.ofFile(1, settings("deadline: 1s", records, "local"))) {
      write(fleet.rig(0), users(20));
      awaitRecords(fleet.rig(0), 20);
      int planned = 0;
      try (RawClient client = fleet.rig(0).connect()) {
        for (String user : users(20)) {
          planned += limit(client, user).equals("2") ? 1 : 0; // two in a month
        }
        assertEquals("1", limit(client, "nobody"));
      }
      assertTrue(planned > 15, "of 20: " + planned);
    }
  }

  @Test
  void aServerThatIsAwayCostsItsOwnUsersTheirPlanAndNobodyElse() throws Exception {
    try (RedisServer other = RedisKind.EMBEDDED.start();
        FaultProxy faults = new FaultProxy(other.port());
        Fleet fleet =
            Fleet.ofFile(
                1,
                settings(
                    "deadline: 1s, topology: sharded, nodes: [%s, 127.0.0.1:%d]"
                        .formatted(Fleet.node(redis), faults.port()),
                    "store: redis",
                    "local"))) {
      Rig rig = fleet.deciding(2).rig(0);
      List<String> users = users(24);
      write(rig, users);
      awaitRecords(rig, 24);
      faults.blackhole();
      List<String> lost = new ArrayList<>(users);
      List<String> kept = new ArrayList<>();
      try (RawClient client = rig.connect()) {
        for (String user : users) {
          String key = new String(new RecordKeys("shop", "shop").users(RecordKeys.partition(user)));
          if (redis.text("HEXISTS", key, user).equals("1")) {
            kept.add(limit(client, user));
            lost.remove(user);
          }
        }
        assertTrue(lost.size() > 2 && kept.size() > 2, lost::toString);
        assertTrue(kept.contains("2"), kept::toString);
        for (String user : lost) {
          assertEquals("1", limit(client, user));
        }
        assertTrue(rig.metric("weir_records_users_read_total{outcome=\"failed\"}") > 0);
        faults.pass();
        Await.until("they are read", () -> limit(client, lost.get(0)).equals("2"));
      }
    }
  }
}
