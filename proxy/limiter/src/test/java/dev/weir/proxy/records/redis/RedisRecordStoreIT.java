package dev.weir.proxy.records.redis;

import static dev.weir.proxy.records.redis.RecordsRig.ANN;
import static dev.weir.proxy.records.redis.RecordsRig.rule;
import static dev.weir.proxy.records.redis.RecordsRig.user;
import static dev.weir.proxy.records.redis.RecordsRig.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.records.AuditEntry;
import dev.weir.proxy.records.AuditFile;
import dev.weir.proxy.records.AuditPage;
import dev.weir.proxy.records.AuditQuery;
import dev.weir.proxy.records.AuditVerification;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.RecordWrite;
import dev.weir.proxy.records.StaleRecordException;
import dev.weir.proxy.records.StoredRecord;
import dev.weir.proxy.records.UserPage;
import dev.weir.proxy.records.UserWritten;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records on a real server; what both stores promise is in the contract test. */
@Timeout(60)
class RedisRecordStoreIT {
  private static final int RACING_WRITES = Integer.getInteger("weir.records.writes", 400);

  private static final String DIRECTORY = "rl:{p000}:directory:shop";
  private static final RedisServer redis = RedisServer.shared();

  private RecordsRig rig;
  private RedisRecordStore records;

  @BeforeEach
  void start() throws Exception {
    redis.text("FLUSHALL");
    rig = new RecordsRig(redis.port());
    records = rig.records;
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void losesNoneOfRacingWrites() throws Exception {
    RecordVersion first =
        records.writeRules(null, List.of(write(rule("a"), RecordVersion.NONE, "0")), ANN);
    assertEquals(1, first.number());
    try (RecordsRig other = new RecordsRig(redis.port())) {
      race(List.of(records, records, other.records, other.records), this::addToRule);
      assertEquals(RACING_WRITES + "", records.rules().records().get(0).json());
      assertEquals(RACING_WRITES + 1, records.rules().head().number());
      assertEquals(RACING_WRITES + 1, verified());
    }
  }

  @Test
  void losesNoneOfRacingWritesOfAUser() throws Exception {
    records.writeUser(write(user("u"), RecordVersion.NONE, "0"), ANN);
    try (RecordsRig other = new RecordsRig(redis.port())) {
      race(List.of(records, records, other.records, other.records), this::addToUser);
      assertEquals(RACING_WRITES + "", records.user("u").orElseThrow().json());
      verified();
      assertEquals("1", redis.text("HGET", "rl:{p000}:directory:shop", "count"));
    }
  }

  @Test
  void countsAUserAsGoneOnceThoughTwoDelete() throws Exception {
    List<RecordWrite> delete = List.of(write(user("u"), null, null));
    records.writeUsers(List.of(write(user("u"), null, "{}"), write(user("v"), null, "{}")), ANN);
    String head = redis.text("HGET", DIRECTORY, "head");
    List<UserWritten> first = new ArrayList<>();
    RedisRecordStore second =
        new RedisRecordStore(
            rig.store.servers(),
            new RecordKeys("shop", "shop"),
            identity -> {
              try {
                boolean isAnnounced = !redis.text("HGET", DIRECTORY, "head").equals(head);
                if (isAnnounced && first.isEmpty()) {
                  first.addAll(records.writeUsers(delete, ANN));
                }
                return UserNames.of(identity);
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            },
            null);
    assertNotNull(second.writeUsers(delete, ANN).get(0).version());
    assertNotNull(first.get(0).version());
    assertEquals("1", redis.text("HGET", DIRECTORY, "count"));
  }

  private interface Step {
    /** Adds one; false if somebody else was faster. */
    boolean add(RedisRecordStore store) throws Exception;
  }

  private boolean addToRule(RedisRecordStore store) throws Exception {
    StoredRecord present = store.rules().records().get(0);
    int next = Integer.parseInt(present.json()) + 1;
    try {
      store.writeRules(null, List.of(write(rule("a"), present.version(), next + "")), ANN);
      return true;
    } catch (StaleRecordException stale) {
      assertTrue(stale.present().number() > present.version().number());
      return false;
    }
  }

  private boolean addToUser(RedisRecordStore store) throws Exception {
    StoredRecord present = store.user("u").orElseThrow();
    int next = Integer.parseInt(present.json()) + 1;
    try {
      store.writeUser(write(user("u"), present.version(), next + ""), ANN);
      return true;
    } catch (StaleRecordException stale) {
      return false;
    }
  }

  private static void race(List<RedisRecordStore> stores, Step step) throws Exception {
    ExecutorService writers = Executors.newFixedThreadPool(stores.size());
    List<Future<?>> running = new ArrayList<>();
    for (RedisRecordStore store : stores) {
      running.add(
          writers.submit(
              () -> {
                for (int done = 0; done < RACING_WRITES / stores.size(); ) {
                  done += step.add(store) ? 1 : 0;
                }
                return null;
              }));
    }
    for (Future<?> writer : running) {
      writer.get();
    }
    writers.shutdown();
  }

  /** Checks the chain of the audit, and returns how many entries it has. */
  private int verified() throws Exception {
    AuditVerification chain = new AuditVerification();
    int count = 0;
    String after = null;
    do {
      AuditPage page = records.audit(new AuditQuery(null, null, null, null, after, 100));
      for (AuditEntry entry : page.entries()) {
        chain.next(entry.id(), entry.toJson());
        count++;
      }
      after = page.next();
    } while (after != null);
    assertEquals(List.of(), chain.faults());
    return count;
  }

  @Test
  void takesAWriteOnceThoughItsAnswerIsLost() throws Exception {
    RecordCommit commit =
        RecordCommit.ofRules(
            new RecordCalls(rig.store.servers()), new RecordKeys("shop", "shop"), null, List.of());
    commit.change(rule("a"), null, "1", ANN);
    assertTrue(commit.write(0));
    assertTrue(commit.write(0), "the first answer was lost");
    records.writeRules(null, List.of(write(rule("b"), null, "1")), ANN);
    assertTrue(commit.write(0), "and another one has written since");
    assertEquals(2, records.rules().head().number());
    assertEquals(2, verified());
  }

  /** A write by a sidecar behind a proxy, from which only the writing itself is left to do. */
  private RecordCommit commitBehind(RecordsRig behind) throws Exception {
    behind.records.writeRules(null, List.of(write(rule("a"), null, "1")), ANN); // knows the script
    RecordCommit commit =
        RecordCommit.ofRules(
            new RecordCalls(behind.store.servers()),
            new RecordKeys("shop", "shop"),
            null,
            List.of());
    commit.change(rule("a"), "1", "2", ANN);
    return commit;
  }

  private static boolean isSecondVersionWritten() throws Exception {
    return redis.text("HGET", "rl:{p000}:policy:shop", "head").startsWith("2-");
  }

  @Test
  void findsItsWriteThoughNoAnswerCameInTime() throws Exception {
    ExecutorService writer = Executors.newSingleThreadExecutor();
    try (FaultProxy faults = new FaultProxy(redis.port());
        RecordsRig behind = new RecordsRig(faults.port())) {
      RecordCommit commit = commitBehind(behind);
      faults.dropReplies(Integer.MAX_VALUE);
      Future<Boolean> written = writer.submit(() -> commit.write(0));
      Await.until("executed", RedisRecordStoreIT::isSecondVersionWritten);
      faults.pass();
      assertTrue(written.get());
      assertEquals(2, records.rules().head().number());
      assertEquals(2, verified());
    } finally {
      writer.shutdownNow();
    }
  }

  @Test
  void promisesNothingOfAWriteThatMayHaveBeenMade() throws Exception {
    try (FaultProxy faults = new FaultProxy(redis.port());
        RecordsRig behind = new RecordsRig(faults.port())) {
      RecordCommit commit = commitBehind(behind);
      faults.dropReplies(Integer.MAX_VALUE);
      String fault = assertThrows(RecordStoreException.class, () -> commit.write(0)).getMessage();
      assertTrue(fault.endsWith("; perhaps written: read it again"), fault);
      assertTrue(isSecondVersionWritten());
    }
  }

  @Test
  void passesOverADamagedRecordAndWritesOverIt() throws Exception {
    String key = "rl:{p000}:policy:shop";
    redis.text("HSET", key, "rule:bad", "hello", "rule:json", "1-00000000 {", "x", "y");
    records.writeRules(null, List.of(write(rule("good"), null, "{\"id\":\"good\"}")), ANN);
    assertEquals(
        List.of("good"), records.rules().records().stream().map(each -> each.name().id()).toList());
    assertTrue(records.damagedCount() >= 2);
    records.writeRules(
        null,
        List.of(write(rule("bad"), RecordVersion.NONE, "1"), write(rule("json"), null, null)),
        ANN);
    assertEquals(
        Set.of("good", "bad"),
        new HashSet<>(records.rules().records().stream().map(each -> each.name().id()).toList()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
        "1e99"
      })
  void passesOverAUserWhoseRecordNobodyCanReadAndNamesItOnce(String json) throws Exception {
    records.writeUsers(List.of(write(user("bad"), null, "{}"), write(user("u"), null, "{}")), ANN);
    int partition = RecordKeys.partition("bad");
    redis.text("HSET", "rl:{p%03d}:users:shop".formatted(partition), "bad", "1-00000000 " + json);
    try (LogLines log = new LogLines()) {
      assertEquals(Set.of("u"), listed(10));
      assertEquals(Set.of("u"), listed(10));
      assertTrue(records.user("bad").isEmpty());
      assertEquals(3, records.damagedCount());
      assertEquals(1, log.with("WARN", "the record of user bad is passed over").size());
    }
    records.writeUser(write(user("bad"), RecordVersion.NONE, "{}"), ANN);
    assertEquals(Set.of("bad", "u"), listed(10));
  }

  private Set<String> listed(int most) throws Exception {
    Set<String> found = new HashSet<>();
    String after = null;
    do {
      UserPage page = records.users(after, most);
      page.users().forEach(each -> found.add(each.name().id()));
      after = page.next();
    } while (after != null);
    return found;
  }

  @Test
  void writesNothingThatCannotBeAudited() throws Exception {
    records.writeRules(null, List.of(write(rule("a"), null, "1")), ANN);
    String day = verifiedDay();
    redis.text("DEL", day);
    redis.text("SET", day, "not a stream");
    RecordVersion head = records.rules().head();
    List<RecordWrite> writes = List.of(write(rule("a"), null, "2"));
    assertThrows(RecordStoreException.class, () -> records.writeRules(null, writes, ANN));
    assertThrows(
        RecordStoreException.class, () -> records.writeUser(write(user("u"), null, "2"), ANN));
    assertEquals(head, records.rules().head());
    assertEquals("1", records.rules().records().get(0).json());
    assertTrue(records.user("u").isEmpty());
  }

  private String verifiedDay() throws Exception {
    try (RespClient client = redis.connect()) {
      List<?> keys = (List<?>) client.call("KEYS", "rl:{p000}:audit:shop:*");
      String key = RespClient.textOf(keys.get(0));
      long lifeMs = (Long) client.call("PTTL", key);
      assertTrue(lifeMs > 90L * 86_400_000 && lifeMs <= 91L * 86_400_000, lifeMs + " ms");
      return key;
    }
  }

  @Test
  void refusesToWriteRecordsOfANewerFormatAndReadsThem() throws Exception {
    records.writeRules(null, List.of(write(rule("a"), null, "1")), ANN);
    redis.text("HSET", "rl:{p000}:policy:shop", "format", "2");
    RecordStoreException fault =
        assertThrows(
            RecordStoreException.class,
            () -> records.writeRules(null, List.of(write(rule("a"), null, "2")), ANN));
    assertEquals(
        "redis: records of format 2 (expected: 1, as this version of Weir writes)",
        fault.getMessage());
    assertEquals("1", records.rules().records().get(0).json());
  }

  /** A write of a user adds to the audit, whose head is in the hash of the rules. */
  @Test
  void refusesToWriteAnAuditOfANewerFormat() throws Exception {
    records.writeUser(write(user("u"), null, "1"), ANN);
    redis.text("HSET", "rl:{p000}:policy:shop", "format", "2");
    assertThrows(
        RecordStoreException.class, () -> records.writeUser(write(user("u"), null, "2"), ANN));
    assertThrows(RecordStoreException.class, () -> records.note("reset", user("u"), ANN));
    assertEquals("1", records.user("u").orElseThrow().json());
    assertEquals(1, verified());
  }

  @Test
  void saysWhyAFullOrReadOnlyServerTakesNoWrite() throws Exception {
    records.writeRules(null, List.of(write(rule("a"), null, "1")), ANN);
    try {
      redis.text("CONFIG", "SET", "maxmemory", "1");
      RecordStoreException fault =
          assertThrows(
              RecordStoreException.class,
              () -> records.writeRules(null, List.of(write(rule("a"), null, "2")), ANN));
      assertTrue(fault.getMessage().contains("OOM command not allowed"), fault.getMessage());
      assertEquals("1", records.rules().records().get(0).json(), "reads go on");
    } finally {
      redis.text("CONFIG", "SET", "maxmemory", "0");
    }
  }

  @Test
  void listsEachUserOnceAtLeastAndKeepsOddNames() throws Exception {
    Set<String> wanted = new HashSet<>(Set.of("a b", "é%\n{}:", "#x", "100%"));
    for (int i = 0; i < 200; i++) {
      wanted.add("user-" + i);
    }
    List<UserWritten> written =
        records.writeUsers(
            wanted.stream().map(each -> write(user(each), null, "{\"tier\":\"t\"}")).toList(), ANN);
    assertEquals(3, written.stream().map(UserWritten::version).distinct().count(), "100 at once");
    assertEquals(wanted, listed(50));
    assertEquals("{\"tier\":\"t\"}", records.user("a b").orElseThrow().json());
    assertEquals("204", redis.text("HGET", "rl:{p000}:directory:shop", "count"));
    records.writeUsers(wanted.stream().map(each -> write(user(each), null, null)).toList(), ANN);
    assertEquals("0", redis.text("HGET", "rl:{p000}:directory:shop", "count"));
    assertFalse(records.user("a b").isPresent());
    assertEquals(2 * wanted.size(), verified());
  }

  @Test
  void saysNothingOfReplicasWhereThereAreNone() throws Exception {
    records.writeRules(null, List.of(write(rule("a"), null, "1")), ANN);
    assertNull(records.isCopied(List.of(rule("a"), user("u"))));
  }

  @Test
  void knowsAVersionByItsTagToo() throws Exception {
    RecordVersion first = records.writeRules(null, List.of(write(rule("a"), null, "1")), ANN);
    records.writeRules(null, List.of(write(rule("a"), null, "2")), ANN);
    assertTrue(records.knows(first));
    assertFalse(records.knows(new RecordVersion(1, first.tag() + 1)));
    assertFalse(records.knows(new RecordVersion(9, first.tag())));
  }

  @Test
  void namesSecretUsersByTheirHashesInTheAuditAndItsCopyToo(@TempDir Path folder) throws Exception {
    Path copy = folder.resolve("audit.ndjson");
    RedisRecordStore secret =
        new RedisRecordStore(
            rig.store.servers(),
            new RecordKeys("shop", "shop"),
            id -> "#" + id.hashCode(),
            new AuditFile(copy));
    secret.writeUser(write(user("key-1"), null, "{}"), ANN);
    secret.note("reset", user("key-1"), ANN);
    assertEquals("{}", secret.user("key-1").orElseThrow().json());
    List<AuditEntry> entries =
        secret.audit(new AuditQuery(null, null, null, "key-1", null, 10)).entries();
    assertEquals(2, entries.size());
    for (AuditEntry entry : entries) {
      assertEquals(user("#" + "key-1".hashCode()), entry.object());
    }
    List<String> copied = Files.readAllLines(copy);
    assertEquals(List.of(entries.get(1).toJson(), entries.get(0).toJson()), copied);
  }
}
