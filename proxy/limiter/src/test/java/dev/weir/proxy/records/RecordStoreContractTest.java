package dev.weir.proxy.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.records.RecordName.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What each store of records promises. A subclass has a store that is empty. */
public abstract class RecordStoreContractTest {
  /** 10,000 in a long run. */
  private static final int RACING_WRITES = Integer.getInteger("weir.records.writes", 400);

  protected static final Author ANN = new Author("ann", "10.0.0.1", "r1", "because");
  private static final Author BOB = new Author("bob", "", "", "");
  private static final RecordVersion ABSENT = RecordVersion.NONE;

  /** The store, the same one within a test. */
  protected abstract RecordStore store() throws Exception;

  protected static RecordName rule(String id) {
    return new RecordName(Kind.RULE, id);
  }

  protected static RecordName user(String id) {
    return new RecordName(Kind.USER, id);
  }

  protected static RecordWrite put(RecordName name, RecordVersion expected, String json) {
    return new RecordWrite(name, expected, json);
  }

  private static List<String> jsons(RecordSet set) {
    return set.records().stream().map(StoredRecord::json).sorted().toList();
  }

  private List<AuditEntry> audit() throws Exception {
    return audit(new AuditQuery(null, null, null, null, null, 1000));
  }

  private List<AuditEntry> audit(AuditQuery query) throws Exception {
    List<AuditEntry> entries = new ArrayList<>();
    String next = null;
    do {
      AuditPage page =
          store()
              .audit(
                  new AuditQuery(
                      query.from(),
                      query.to(),
                      query.author(),
                      query.object(),
                      query.kind(),
                      next,
                      query.most()));
      assertTrue(page.entries().size() <= query.most());
      entries.addAll(page.entries());
      next = page.next();
    } while (next != null);
    return entries;
  }

  /** Checks the chain, from the newest entry to the first. */
  private void verify(int entries) throws Exception {
    AuditVerification verification = new AuditVerification();
    for (AuditEntry entry : audit()) {
      verification.next("entry " + entry.id(), entry.toJson());
    }
    assertEquals(List.of(), verification.faults());
    assertEquals(entries, verification.entries());
  }

  @Test
  void hasNothingAtFirst() throws Exception {
    assertEquals(RecordSet.NONE, store().rules());
    assertFalse(store().rules().isPresent());
    assertEquals(Optional.empty(), store().user("u"));
    assertEquals(new UserPage(List.of(), null), store().users(null, 10));
    assertEquals(List.of(), audit());
  }

  @Test
  void writesASetAsOneVersion() throws Exception {
    RecordName order = new RecordName(Kind.PART, "order");
    RecordVersion first =
        store()
            .writeRules(
                ABSENT,
                List.of(
                    put(rule("a"), ABSENT, "{ \"id\": \"a\" }"),
                    put(rule("b"), ABSENT, "{\"id\":\"b\"}"),
                    put(order, null, "[\"b\", \"a\"]")),
                ANN);
    assertEquals(1, first.number());
    assertEquals(first, store().rules().head());
    assertEquals(
        List.of("[\"b\",\"a\"]", "{\"id\":\"a\"}", "{\"id\":\"b\"}"), jsons(store().rules()));
    RecordVersion second =
        store().writeRules(first, List.of(put(rule("a"), first, "{\"n\":2}")), BOB);
    assertEquals(2, second.number());
    for (StoredRecord record : store().rules().records()) {
      assertEquals(record.name().equals(rule("a")) ? second : first, record.version());
    }
    verify(4);
  }

  @Test
  void writesAllRecordsOfASetOrNone() throws Exception {
    RecordVersion first =
        store()
            .writeRules(null, List.of(put(rule("a"), null, "1"), put(rule("b"), null, "1")), ANN);
    RecordVersion second = store().writeRules(null, List.of(put(rule("b"), first, "2")), BOB);
    StaleRecordException stale =
        assertThrows(
            StaleRecordException.class,
            () ->
                store()
                    .writeRules(
                        null,
                        List.of(put(rule("a"), first, "3"), put(rule("b"), first, "3")),
                        ANN));
    assertEquals(rule("b"), stale.name());
    assertEquals(second, stale.present());
    assertEquals("bob", stale.writtenBy());
    StaleRecordException set =
        assertThrows(
            StaleRecordException.class,
            () -> store().writeRules(first, List.of(put(rule("a"), null, "3")), ANN));
    assertEquals(new RecordName(Kind.PART, ""), set.name());
    assertEquals(second, set.present());
    assertEquals(List.of("1", "2"), jsons(store().rules()));
    verify(3);
  }

  @Test
  void createsOnlyWhatIsNotThereAndDeletesOnlyWhatWasSeen() throws Exception {
    RecordVersion first = store().writeRules(null, List.of(put(rule("a"), ABSENT, "1")), ANN);
    assertThrows(
        StaleRecordException.class,
        () -> store().writeRules(null, List.of(put(rule("a"), ABSENT, "2")), ANN));
    assertThrows(
        StaleRecordException.class,
        () ->
            store().writeRules(null, List.of(put(rule("a"), new RecordVersion(1, 0), null)), ANN));
    RecordVersion gone = store().writeRules(null, List.of(put(rule("a"), first, null)), ANN);
    assertEquals(2, gone.number());
    assertEquals(gone, store().rules().head(), "its number goes on");
    assertFalse(store().rules().isPresent());
    StaleRecordException stale =
        assertThrows(
            StaleRecordException.class,
            () -> store().writeRules(null, List.of(put(rule("a"), first, "2")), ANN));
    assertEquals(ABSENT, stale.present());
    verify(2);
  }

  @Test
  void changesAUserByItsVersion() throws Exception {
    RecordVersion first = store().writeUser(put(user("u"), ABSENT, "{\"tier\": \"a\"}"), ANN);
    assertEquals(
        Optional.of(new StoredRecord(user("u"), first, "{\"tier\":\"a\"}")), store().user("u"));
    RecordVersion second = store().writeUser(put(user("u"), first, "{}"), BOB);
    assertNotEquals(first, second);
    assertTrue(second.number() > first.number());
    StaleRecordException stale =
        assertThrows(
            StaleRecordException.class, () -> store().writeUser(put(user("u"), first, "{}"), ANN));
    assertEquals(second, stale.present());
    assertEquals("bob", stale.writtenBy());
    store().writeUser(put(user("u"), second, null), ANN);
    assertEquals(Optional.empty(), store().user("u"));
    assertThrows(
        StaleRecordException.class, () -> store().writeUser(put(user("u"), second, "{}"), ANN));
    store().writeUser(put(user("u"), null, "{}"), ANN);
    assertTrue(store().user("u").isPresent());
    assertEquals(ABSENT, store().rules().head(), "users are no part of a set of rules");
    verify(4);
  }

  @Test
  void saysOfEachUserWhatBecameOfIt() throws Exception {
    RecordVersion present = store().writeUser(put(user("b"), ABSENT, "1"), ANN);
    List<UserWritten> written =
        store()
            .writeUsers(
                List.of(
                    put(user("a"), ABSENT, "2"),
                    put(user("b"), ABSENT, "2"),
                    put(user("c"), null, "2")),
                BOB);
    assertEquals(store().user("a").orElseThrow().version(), written.get(0).version());
    assertNull(written.get(0).stale());
    assertNull(written.get(1).version());
    assertEquals(present, written.get(1).stale().present());
    assertEquals("1", store().user("b").orElseThrow().json());
    assertEquals(store().user("c").orElseThrow().version(), written.get(2).version());
    verify(3);
  }

  @Test
  void listsEachUserOnceAtLeastWhateverChangesMeanwhile() throws Exception {
    List<RecordWrite> writes = new ArrayList<>();
    Set<String> names = new HashSet<>(Set.of("a\nb", "", "J\u00fcrgen", "\"\\", "a b%:{}"));
    for (int i = 0; i < 300; i++) {
      names.add("u" + i);
    }
    names.forEach(name -> writes.add(put(user(name), ABSENT, "0")));
    store().writeUsers(writes, ANN);
    Set<String> listed = new HashSet<>();
    String next = null;
    int pages = 0;
    do {
      UserPage page = store().users(next, 20);
      page.users().forEach(found -> listed.add(found.name().id()));
      next = page.next();
      store().writeUser(put(user("new" + pages), ABSENT, "1"), ANN);
      store().writeUser(put(user("u" + pages), null, "1"), ANN);
      assertTrue(++pages < 500);
    } while (next != null);
    assertTrue(listed.containsAll(names), () -> "missing: " + names.removeAll(listed) + names);
  }

  @Test
  void losesNoneOfRacingWrites() throws Exception {
    store().writeRules(null, List.of(put(rule("n"), ABSENT, "0")), ANN);
    store().writeUser(put(user("n"), ABSENT, "0"), ANN);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Void>> racers =
          Collections.nCopies(
              4,
              () -> {
                for (int i = 0; i < RACING_WRITES / 4; i++) {
                  addToRule();
                  addToUser();
                }
                return null;
              });
      for (Future<Void> racer : threads.invokeAll(racers)) {
        racer.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertEquals(List.of(RACING_WRITES + ""), jsons(store().rules()));
    assertEquals(RACING_WRITES + 1, store().rules().head().number());
    assertEquals(RACING_WRITES + "", store().user("n").orElseThrow().json());
    verify(2 * (RACING_WRITES + 1));
  }

  private void addToRule() throws Exception {
    while (true) {
      StoredRecord present = store().rules().records().get(0);
      int next = Integer.parseInt(present.json()) + 1;
      try {
        store().writeRules(null, List.of(put(rule("n"), present.version(), "" + next)), ANN);
        return;
      } catch (StaleRecordException stale) {
        assertNotEquals(present.version(), stale.present());
      }
    }
  }

  private void addToUser() throws Exception {
    while (true) {
      StoredRecord present = store().user("n").orElseThrow();
      int next = Integer.parseInt(present.json()) + 1;
      try {
        store().writeUser(put(user("n"), present.version(), "" + next), ANN);
        return;
      } catch (StaleRecordException stale) {
        assertNotEquals(present.version(), stale.present());
      }
    }
  }

  @Test
  void saysWhoChangedWhat() throws Exception {
    RecordVersion version = store().writeUser(put(user("u"), ABSENT, "{\"tier\":\"a\"}"), ANN);
    store().writeRules(null, List.of(put(rule("r"), null, "1")), BOB);
    store().note("reset", user("u"), BOB);
    store().writeUser(put(user("u"), version, null), ANN);
    List<AuditEntry> all = audit();
    assertEquals(
        List.of("delete", "reset", "create", "create"),
        all.stream().map(AuditEntry::action).toList());
    AuditEntry first = all.get(3);
    assertEquals(ANN, first.author());
    assertEquals(user("u"), first.object());
    assertEquals(version, first.version());
    assertNull(first.before());
    assertEquals("{\"tier\":\"a\"}", first.after());
    assertEquals("{\"tier\":\"a\"}", all.get(0).before());
    assertNull(all.get(0).after());
    assertNull(all.get(1).version());
    assertEquals(
        List.of("reset", "create"),
        audit(new AuditQuery(null, null, "bob", null, null, 1)).stream()
            .map(AuditEntry::action)
            .toList());
    assertEquals(3, audit(new AuditQuery(null, null, null, "u", null, 2)).size());
    assertEquals(
        4,
        audit(new AuditQuery(first.at(), all.get(0).at().plusSeconds(1), null, null, null, 3))
            .size());
    assertEquals(
        List.of(),
        audit(new AuditQuery(all.get(0).at().plusSeconds(1), null, null, null, null, 1)));
    assertEquals(List.of(), audit(new AuditQuery(null, first.at(), null, null, null, 1)));
    assertEquals(1, audit(new AuditQuery(null, null, null, null, AuditKind.RULES, null, 9)).size());
    assertEquals(3, audit(new AuditQuery(null, null, null, null, AuditKind.USERS, null, 9)).size());
    verify(4);
  }

  @Test
  void refusesAPlaceWhereNoPageEnded() throws Exception {
    assertThrows(
        IllegalArgumentException.class,
        () -> store().audit(new AuditQuery(null, null, null, null, "x", 1)));
    assertThrows(IllegalArgumentException.class, () -> store().users("not a place", 1));
  }
}
