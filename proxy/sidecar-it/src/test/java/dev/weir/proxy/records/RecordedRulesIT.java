package dev.weir.proxy.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.control.Adoption;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.RecordedRules;
import dev.weir.proxy.control.RecordsInUse;
import dev.weir.proxy.control.RuleReload;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.WeirProcess;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rules that are kept in a real Redis, in use on three sidecars. */
@Timeout(60)
class RecordedRulesIT {
  private static final RedisServer redis = RedisServer.shared();
  private static final Author ANN = new Author("ann", "10.0.0.1", "r1", "");
  private static final Duration LONG = Duration.ofSeconds(20);

  @TempDir Path folder;

  @BeforeEach
  void forget() throws Exception {
    redis.text("FLUSHALL");
  }

  private String settings(RedisServer server, String more) {
    return "service: shop\nredis: {nodes: "
        + Fleet.node(server)
        + ", deadline: 1s}\nrecords: {store: redis"
        + more
        + "}\nrules:\n"
        + rule(10);
  }

  private static String rule(int limit) {
    return "  - {id: r, mode: local, key: 'header:x-user', limit: "
        + limit
        + "/30d,"
        + " algorithm: fixed-window}\n";
  }

  private Fleet fleet() throws Exception {
    return Fleet.ofFile(3, settings(redis, "")).deciding(1);
  }

  private static RecordSet set(String rules) {
    Faults faults = Faults.ofFile("");
    RecordSet set =
        RecordedRules.ofDocument(("rules:\n" + rules).getBytes(StandardCharsets.UTF_8), faults);
    assertTrue(faults.isEmpty(), faults::toString);
    return set;
  }

  private static String json(int limit) {
    return set(rule(limit)).records().get(0).json();
  }

  /** Replaces the whole set. */
  private static RecordVersion push(RecordStore store, RecordSet set) throws Exception {
    List<RecordWrite> writes = new ArrayList<>();
    set.records().forEach(each -> writes.add(new RecordWrite(each.name(), null, each.json())));
    return store.writeRules(null, writes, ANN);
  }

  private static RecordVersion delete(RecordStore store) throws Exception {
    List<RecordWrite> writes = new ArrayList<>();
    for (StoredRecord each : store.rules().records()) {
      writes.add(new RecordWrite(each.name(), null, null));
    }
    return store.writeRules(null, writes, ANN);
  }

  private static void awaitAll(RecordsInUse records, RecordVersion version) throws Exception {
    Adoption adoption =
        records.adoption(version, LONG).toCompletableFuture().get(30, TimeUnit.SECONDS);
    assertEquals(new Adoption(3, 3, 0), adoption);
  }

  private static int passed(Rig rig, String user, int requests) throws Exception {
    int passed = 0;
    try (RawClient client = rig.connect()) {
      for (int i = 0; i < requests; i++) {
        passed += client.send(Fleet.get(user)).read().status() == 200 ? 1 : 0;
      }
    }
    return passed;
  }

  @Test
  void decidesByAWrittenSetOnAllSidecarsAndByTheFileAgainOnceItIsDeleted() throws Exception {
    try (Fleet fleet = fleet()) {
      RecordsInUse records = fleet.rig(0).sidecar.records();
      assertFalse(records.rules().isPresent());
      for (Rig rig : fleet.rigs) {
        assertEquals(3, passed(rig, "ann", 3));
      }
      RecordVersion written = push(records.store(), set(rule(5)));
      awaitAll(records, written);
      for (Rig rig : fleet.rigs) {
        assertEquals(written, rig.sidecar.records().rules().head());
        rig.awaitLoops();
        assertEquals(2, passed(rig, "ann", 9), "what was used stays used");
        assertEquals(1, rig.metric("weir_records_rules_in_use"));
      }
      RecordVersion deleted = delete(records.store());
      awaitAll(records, deleted);
      for (Rig rig : fleet.rigs) {
        assertFalse(rig.sidecar.records().rules().isPresent());
        rig.awaitLoops();
        assertEquals(5, passed(rig, "ann", 9), "ten of the file less five");
      }
    }
  }

  /** It follows the present one with its next heartbeat. */
  @Test
  void countsNoSidecarThatFollowsAVersionThatAFailoverHasLost() throws Exception {
    try (Fleet fleet = fleet()) {
      RecordsInUse records = fleet.rig(0).sidecar.records();
      RecordVersion version = push(records.store(), set(rule(5)));
      awaitAll(records, version);
      long nowMs = System.currentTimeMillis();
      redis.text("ZADD", "rl:{p000}:versions:shop", "" + nowMs, "other 9-0000abcd");
      redis.text("ZADD", "rl:{p000}:peers:shop", "" + (nowMs + 60_000), "other");
      assertEquals(
          new Adoption(4, 3, 0),
          records.adoption(version, Duration.ZERO).toCompletableFuture().get(30, TimeUnit.SECONDS));
    }
  }

  @Test
  void keepsTheLastGoodSetWhereALaterOneCannotBeTaken() throws Exception {
    try (Fleet fleet = fleet();
        LogLines log = new LogLines()) {
      RecordsInUse records = fleet.rig(1).sidecar.records();
      RecordVersion good = push(records.store(), set(rule(5)));
      awaitAll(records, good);
      RecordName name = new RecordName(Kind.RULE, "r");
      RecordVersion bad =
          records
              .store()
              .writeRules(
                  null, List.of(new RecordWrite(name, null, "{\"id\":\"r\",\"limit\":1}")), ANN);
      Await.until(
          "all say that they cannot",
          () -> records.adoption(bad, Duration.ZERO).toCompletableFuture().get().refusing() == 3);
      assertEquals(bad, records.fault().version());
      assertTrue(records.fault().faults().toString().contains("rule r: /limit: 1"));
      assertEquals(good, records.rules().head());
      assertEquals(5, passed(fleet.rig(0), "ann", 9));
      assertEquals(3, fleet.sum("weir_records_rules_refused"));
      Await.until("named", () -> log.with("not taken").size() == 3);
      RecordVersion next = push(records.store(), set(rule(6)));
      awaitAll(records, next);
      assertNull(records.fault());
      redis.text("HSET", "rl:{p000}:policy:shop", "rule:r", next + " {");
      redis.text("DEL", "rl:{p000}:changes:shop"); // so that all is read
      RecordVersion after =
          records
              .store()
              .writeRules(
                  null,
                  List.of(new RecordWrite(new RecordName(Kind.PART, "order"), null, "[]")),
                  ANN);
      Await.until(
          "a damaged rule",
          () -> records.adoption(after, Duration.ZERO).toCompletableFuture().get().refusing() == 3);
      assertEquals(next, records.rules().head(), "a set without one of its rules is no set");
      redis.text("HSET", "rl:{p000}:policy:shop", "rule:r", next + " " + json(6));
      awaitAll(records, after); // though nothing told of it
      assertEquals(after, records.rules().head());
    }
  }

  @Test
  void keepsTheSetThatAnEmptiedStoreHasLostUntilItIsSentAgain() throws Exception {
    try (RedisServer own = RedisKind.EMBEDDED.start();
        Fleet fleet = Fleet.ofFile(3, settings(own, "")).deciding(1)) {
      RecordsInUse records = fleet.rig(2).sidecar.records();
      RecordSet set = set(rule(5));
      awaitAll(records, push(records.store(), set));
      own.restart();
      Await.until("lost", () -> fleet.sum("weir_records_rules_refused") == 3);
      assertEquals(RecordVersion.NONE, records.fault().version());
      assertTrue(records.rules().isPresent());
      assertEquals(5, passed(fleet.rig(0), "ann", 9));
      awaitAll(records, push(records.store(), set));
      assertEquals(0, fleet.sum("weir_records_rules_refused"));
      awaitAll(records, delete(records.store()));
      assertEquals(6, fleet.sum("weir_records_rules_version"), "two of each");
      own.restart();
      Await.until("no version", () -> fleet.sum("weir_records_rules_version") == 0);
      assertEquals(0, fleet.sum("weir_records_rules_refused"), "what was deleted cannot be lost");
    }
  }

  @Test
  void aReloadLeavesTheRecordedSetInUseAndItsDeletionFindsTheFileAsItIsThen() throws Exception {
    try (Fleet fleet = fleet()) {
      RecordsInUse records = fleet.rig(0).sidecar.records();
      RecordVersion written = push(records.store(), set(rule(5)));
      awaitAll(records, written);
      Path path = folder.resolve("weir.yaml");
      String file = "upstream: http://127.0.0.1:1\n" + settings(redis, "");
      Files.writeString(path, file);
      Settings running = new SettingsFile().read(path, Faults.ofFile("weir.yaml"));
      Rig first = fleet.rig(0);
      try (RuleReload reload =
          new RuleReload(path, running, first.sidecar.ruleReloads(), first.sidecar.ruleChoice())) {
        Files.writeString(path, file.replace("10/30d", "12/30d"));
        assertTrue(reload.reload().isEmpty());
        assertEquals(5, passed(first, "ann", 19), "the recorded rules stay");
        awaitAll(records, delete(records.store()));
        first.awaitLoops();
        assertEquals(7, passed(first, "ann", 19), "twelve, as the file says by now, less five");
        fleet.rig(1).awaitLoops();
        assertEquals(10, passed(fleet.rig(1), "ann", 19), "that one has not read its file again");
      }
    }
  }

  @Test
  void startsWithTheCopyOfTheLastGoodSetWhileTheStoreIsAway() throws Exception {
    try (RedisServer own = RedisKind.EMBEDDED.start()) {
      String settings = settings(own, ", folder: " + folder);
      RecordVersion written;
      try (Rig rig = Rig.ofFile("nio", settings)) {
        written = push(rig.sidecar.records().store(), set(rule(5)));
        Await.until("copied", () -> Files.exists(folder.resolve("rules-shop.copy")));
      }
      own.kill();
      try (LogLines log = new LogLines();
          Rig rig = Rig.ofFile("nio", settings)) {
        String told = "records: no answer yet: those of version " + written + " decide";
        assertEquals(1, log.with("WARN", told).size());
        assertEquals(written, rig.sidecar.records().rules().head());
        assertEquals(5, passed(rig, "ann", 9));
        Await.until("away", () -> rig.metric("weir_records_away_seconds") > 0);
        own.restart(); // and it is empty
        rig.await("weir_records_rules_refused", 1);
        assertEquals(written, rig.sidecar.records().rules().head(), "lost, but not forgotten");
      }
    }
  }

  @Test
  void followsRecordsInAFolderAlone() throws Exception {
    String file = "records: {store: file, folder: " + folder + "}\nrules:\n" + rule(10);
    try (Rig rig = Rig.ofFile("nio", file)) {
      RecordsInUse records = rig.sidecar.records();
      RecordVersion version = push(records.store(), set(rule(5)));
      assertEquals(
          new Adoption(1, 1, 0),
          records.adoption(version, LONG).toCompletableFuture().get(30, TimeUnit.SECONDS));
      assertEquals(version, records.rules().head());
    }
  }

  @Test
  void readsUsersOfNoOtherDirectoryUntilARestart() throws Exception {
    String file = settings(redis, "") + "trusted-proxies: [127.0.0.1]\n";
    String users = "users: {identity: 'header:x-user-id', directory: %s}\n";
    try (Rig rig = Rig.ofFile("nio", file)) {
      RecordsInUse records = rig.sidecar.records();
      Faults faults = Faults.ofFile("");
      for (String directory : List.of("shop", "other")) {
        String document = users.formatted(directory) + "rules:\n" + rule(5);
        RecordSet set = RecordedRules.ofDocument(document.getBytes(StandardCharsets.UTF_8), faults);
        String told = records.compile(set).faults().toString();
        assertEquals(directory.equals("shop"), told.equals("[]"), told);
      }
    }
  }

  @Test
  void startsWithARecordedRuleOfAnotherModeThanThatOfItsFile() throws Exception {
    RecordSet exact = set(rule(5).replace("local", "exact"));
    try (Rig rig = Rig.ofFile("nio", settings(redis, ""))) {
      RecordsInUse records = rig.sidecar.records();
      RecordVersion first = push(records.store(), set(rule(6)));
      Await.until("in use", () -> records.rules().head().equals(first));
      assertFalse(records.compile(exact).faults().isEmpty(), "what was used would be forgotten");
    }
    RecordVersion written;
    try (Fleet fleet = Fleet.ofFile(1, settings(redis, "").replace("local", "exact"))) {
      written = push(fleet.rig(0).sidecar.records().store(), exact);
    }
    try (Rig rig = Rig.ofFile("nio", settings(redis, ""))) {
      assertEquals(written, rig.sidecar.records().rules().head());
      assertEquals(5, passed(rig, "ann", 9));
    }
  }

  @Test
  void aSidecarThatWasStoppedTakesTheSetThatIsThereWhenItGoesOn() throws Exception {
    Path file = folder.resolve("weir.yaml");
    Files.writeString(
        file,
        "upstream: http://127.0.0.1:1\nlisten: 127.0.0.1:0\nadmin: 127.0.0.1:0\n"
            + settings(redis, ""));
    try (Fleet fleet = fleet();
        WeirProcess stopped = WeirProcess.run(folder, "-c", file.toString())) {
      RecordsInUse records = fleet.rig(0).sidecar.records();
      awaitVersion(stopped, 0);
      stopped.signal("STOP");
      RecordVersion last = null;
      for (int i = 0; i < 120; i++) { // more than are told one by one
        last = push(records.store(), set(rule(5 + i % 3)));
      }
      stopped.signal("CONT");
      awaitVersion(stopped, last.number());
    }
  }

  private static void awaitVersion(WeirProcess process, long version) {
    String figure = "\nweir_records_rules_version " + version;
    InetSocketAddress admin = process.adminAddress();
    Await.until("version " + version + " at " + admin, () -> process.metrics().contains(figure));
  }
}
