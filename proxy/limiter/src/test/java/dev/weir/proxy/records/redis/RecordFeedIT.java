package dev.weir.proxy.records.redis;

import static dev.weir.proxy.records.redis.RecordsRig.ANN;
import static dev.weir.proxy.records.redis.RecordsRig.rule;
import static dev.weir.proxy.records.redis.RecordsRig.user;
import static dev.weir.proxy.records.redis.RecordsRig.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.StoredRecord;
import dev.weir.scripts.LuaScript;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How changes of records are told by heartbeats, on a real server. */
@Timeout(60)
class RecordFeedIT {
  private static final RedisServer redis = RedisServer.shared();
  private static final String BEAT = new String(LuaScript.BEAT.source(), StandardCharsets.UTF_8);
  private static final List<String> OF_COUNT =
      List.of("rl:{p000}:peers:shop", "rl:{p000}:rules:shop", "rl:{p000}:order:shop");
  private static final List<String> OF_RECORDS =
      List.of(
          "rl:{p000}:policy:shop",
          "rl:{p000}:changes:shop",
          "rl:{p000}:versions:shop",
          "rl:{p000}:directory:shop",
          "rl:{p000}:directory-changes:shop");

  private RecordsRig rig;
  private RedisRecordStore records;
  private RespClient client;

  @BeforeEach
  void start() throws Exception {
    redis.text("FLUSHALL");
    rig = new RecordsRig(redis.port());
    records = rig.records;
    client = redis.connect();
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    rig.close();
  }

  private RecordVersion put(String id, String json) throws Exception {
    return records.writeRules(null, List.of(write(rule(id), null, json)), ANN);
  }

  private static Set<String> ids(RecordSet set) {
    return set.records().stream()
        .map(StoredRecord::name)
        .map(RecordName::id)
        .collect(Collectors.toSet());
  }

  private List<?> beat(List<String> keys, String... arguments) throws Exception {
    List<String> call = new ArrayList<>(List.of("EVAL", BEAT, "" + keys.size()));
    call.addAll(keys);
    call.addAll(List.of(arguments));
    return (List<?>) client.call(call.toArray(String[]::new));
  }

  /** What a sidecar is told that knows a version of the rules: -1 for all, else how many. */
  private long changed(Object known) throws Exception {
    List<String> keys = new ArrayList<>(OF_COUNT);
    keys.addAll(OF_RECORDS);
    List<?> rules =
        (List<?>) beat(keys, "me", "6000", "", "0", known.toString(), "", "", "").get(3);
    return (Long) rules.get(1) < 0 ? -1 : (rules.size() - 2) / 2;
  }

  @Test
  void tellsEachSidecarWhatHasChanged() throws Exception {
    try (RecordsRig other = new RecordsRig(redis.port())) {
      put("a", "1");
      Await.until("told", () -> other.told.lines.contains("rules 1"));
      assertEquals(Set.of("a"), ids(other.records.rules()));
      put("b", "1");
      records.writeRules(null, List.of(write(rule("a"), null, null)), ANN);
      Await.until("told", () -> other.told.lines.contains("rules 3"));
      assertEquals(Set.of("b"), ids(other.records.rules()), "what is gone is gone");
      records.writeUser(write(user("ann b"), null, "{}"), ANN);
      Await.until("told", () -> other.told.lines.contains("count 1"));
      assertTrue(other.told.lines.contains("all users"), "there was no version to go on from");
      records.writeUser(write(user("ann b"), null, "{}"), ANN);
      Await.until("told", () -> other.told.lines.contains("user ann b 2"));
    }
  }

  @Test
  void tellsSomeOnlyIfTheLogHasTheVersionWithItsTagAndNoGap() throws Exception {
    RecordVersion first = put("a", "1");
    put("b", "1");
    RecordVersion third = put("b", "2");
    assertEquals(1, changed(first), "one record, changed twice");
    assertEquals(0, changed(third));
    assertEquals(-1, changed(new RecordVersion(1, first.tag() + 1)), "a version that was lost");
    assertEquals(-1, changed(new RecordVersion(3, third.tag() + 1)), "another of the same number");
    assertEquals(-1, changed(new RecordVersion(9, 1)), "one ahead of the head");
    assertEquals(-1, changed(""));
    client.call("XDEL", "rl:{p000}:changes:shop", "2-0");
    assertEquals(-1, changed(first), "a gap");
    client.call("XTRIM", "rl:{p000}:changes:shop", "MAXLEN", "1");
    assertEquals(-1, changed(first), "a trimmed log");
    for (int i = 0; i < 101; i++) {
      put("r" + i % 3, "" + i);
    }
    assertEquals(-1, changed(third), "too many");
  }

  @Test
  void keepsAboutSoManyChangesAndTellsAllToThoseBehindThem() throws Exception {
    RecordVersion first = put("a", "1");
    int many = RecordCommit.MOST_CHANGES + 300;
    String changes = "rl:{p000}:changes:shop";
    String add = "for i = 2, %d do redis.call('XADD', KEYS[1], i .. '-0', 'tag', '0') end";
    client.call("EVAL", add.formatted(many), "1", changes);
    client.call("HSET", "rl:{p000}:policy:shop", "head", new RecordVersion(many, 0).toString());
    RecordVersion last = put("a", "2");
    assertEquals(many + 1, last.number());
    long kept = (Long) client.call("XLEN", changes);
    assertTrue(
        kept >= RecordCommit.MOST_CHANGES && kept <= RecordCommit.MOST_CHANGES + 200, kept + "");
    assertEquals(-1, changed(first));
    assertEquals(0, changed(last));
  }

  @Test
  void startsTheLogAnewIfAFailoverPutTheHeadBehindIt() throws Exception {
    RecordVersion first = put("a", "1");
    RecordVersion lost = put("a", "2");
    client.call("HSET", "rl:{p000}:policy:shop", "head", first.toString());
    RecordVersion again = put("a", "3");
    assertEquals(lost.number(), again.number());
    assertEquals(-1, changed(lost));
    assertEquals(-1, changed(first));
    Await.until("told", () -> rig.told.lines.contains("rules 2"));
  }

  @Test
  void countsSidecarsThatFollowRecordsAndThoseThatDoNot() throws Exception {
    List<?> before = beat(OF_COUNT, "zz", "6000", "digest", "0");
    assertEquals(List.of(2L, 1L, 1L), before);
  }

  @Test
  void notesWhoHasWhichVersionInUse() throws Exception {
    RecordVersion head = put("a", "1");
    assertEquals(RecordVersion.NONE, records.sidecars().get(0).inUse());
    records.use(head, null);
    Await.until("noted", () -> records.sidecars().get(0).inUse().equals(head));
    assertEquals(1, records.sidecars().size());
    assertEquals(1L, client.call("ZCARD", "rl:{p000}:versions:shop"));
    try (RecordsRig other = new RecordsRig(redis.port())) {
      Await.until("two", () -> client.call("ZCARD", "rl:{p000}:versions:shop").equals(2L));
      assertEquals(2, other.records.sidecars().size());
    }
    assertEquals(1L, client.call("ZCARD", "rl:{p000}:versions:shop"), "one has left");
  }

  @Test
  void notesAVersionThatASidecarCannotTake() throws Exception {
    RecordVersion first = put("a", "1");
    RecordVersion second = put("a", "2");
    records.use(first, second);
    Await.until("noted", () -> second.equals(records.sidecars().get(0).refused()));
    assertEquals(first, records.sidecars().get(0).inUse());
    records.use(second, null);
    Await.until("noted", () -> records.sidecars().get(0).refused() == null);
    assertEquals(1L, client.call("ZCARD", "rl:{p000}:versions:shop"));
  }

  @Test
  void namesDamagedRecordsOfASet() throws Exception {
    put("a", "1");
    client.call("HSET", "rl:{p000}:policy:shop", "rule:b", "no version");
    RecordSet set = records.rules();
    assertEquals(List.of(rule("b")), set.damaged());
    assertEquals(Set.of("a"), ids(set));
    put("c", "1");
    Await.until("told", () -> rig.told.lines.contains("rules 2"));
    assertEquals(List.of(rule("b")), records.rules().damaged(), "not only what has changed");
    put("b", "1");
    assertEquals(List.of(), records.rules().damaged());
  }

  @Test
  void tellsOfALostSetThoughItNeverKnewOne() throws Exception {
    assertTrue(rig.told.lines.contains("rules 0"), "who has a copy learns that there is no set");
  }

  @Test
  void asksForAllUsersIfTheNameOfAChangedOneIsHashed() throws Exception {
    RedisRecordStore secret =
        new RedisRecordStore(
            rig.store.servers(), new RecordKeys("shop", "shop"), id -> "#" + id.hashCode(), null);
    secret.writeUser(write(user("ann"), null, "{}"), ANN);
    Await.until("told", () -> rig.told.lines.stream().filter("all users"::equals).count() == 1);
    secret.writeUsers(List.of(write(user("bob"), null, "{}"), write(user("cat"), null, "{}")), ANN);
    Await.until("told", () -> rig.told.lines.stream().filter("all users"::equals).count() == 2);
    Await.until("counted", () -> rig.told.lines.contains("count 3"));
    assertEquals(2, rig.told.lines.stream().filter("all users"::equals).count(), "once for two");
  }
}
