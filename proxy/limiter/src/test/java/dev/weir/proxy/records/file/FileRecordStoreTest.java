package dev.weir.proxy.records.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.records.AuditFile;
import dev.weir.proxy.records.AuditQuery;
import dev.weir.proxy.records.AuditVerification;
import dev.weir.proxy.records.RecordListener;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreContractTest;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.RecordWrite;
import dev.weir.proxy.records.RunningSidecar;
import dev.weir.proxy.records.StoredRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records in a folder: what all stores promise, and what a folder may meet. */
class FileRecordStoreTest extends RecordStoreContractTest {
  private static final Instant NOON = Instant.parse("2026-11-24T12:00:00Z");

  @TempDir private Path temporary;
  private Path folder;
  private Instant now = NOON;
  private FileRecordStore open;

  @Override
  protected synchronized RecordStore store() throws Exception {
    return files();
  }

  private synchronized FileRecordStore files() throws RecordStoreException {
    if (open == null) {
      folder = temporary.resolve("state");
      open = open(folder);
    }
    return open;
  }

  private FileRecordStore open(Path path) throws RecordStoreException {
    Clock clock =
        new Clock() {
          @Override
          public Instant instant() {
            return now;
          }

          @Override
          public ZoneOffset getZone() {
            return ZoneOffset.UTC;
          }

          @Override
          public Clock withZone(java.time.ZoneId zone) {
            return this;
          }
        };
    return FileRecordStore.open(path, clock, null);
  }

  private void reopen() throws RecordStoreException {
    files().close();
    open = open(folder);
  }

  @AfterEach
  void close() {
    if (open != null) {
      open.close();
    }
  }

  private Path today() {
    return AuditFolder.file(folder, LocalDate.ofInstant(now, ZoneOffset.UTC));
  }

  /** All records, by their names. */
  private static Map<String, String> all(FileRecordStore store) throws RecordStoreException {
    Map<String, String> all = new TreeMap<>();
    List<StoredRecord> records = new ArrayList<>(store.rules().records());
    String next = null;
    do {
      var page = store.users(next, 1000);
      records.addAll(page.users());
      next = page.next();
    } while (next != null);
    records.forEach(record -> all.put(record.name() + "", record.version() + record.json()));
    return all;
  }

  private List<String> faults() throws IOException {
    AuditVerification verification = new AuditVerification();
    AuditFolder.verify(folder, verification);
    return verification.faults();
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectory(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  private void writeSome() throws Exception {
    RecordVersion head =
        files()
            .writeRules(null, List.of(put(rule("a"), null, "1"), put(rule("b"), null, "2")), ANN);
    files().writeUser(put(user("ann"), null, "{\"tier\":\"a\"}"), ANN);
    files().writeUser(put(user("bob\n\u2028"), null, "{}"), ANN);
    files().note("reset", user("ann"), ANN);
    files().writeUser(put(user("bob\n\u2028"), null, null), ANN);
    files().writeRules(head, List.of(put(rule("b"), null, null)), ANN);
  }

  @Test
  void findsAllAgainAndGoesOnWithTheNumbers() throws Exception {
    writeSome();
    Map<String, String> before = all(files());
    RecordVersion head = files().rules().head();
    reopen();
    assertEquals(before, all(files()));
    assertEquals(2, before.size());
    assertEquals(head, files().rules().head());
    RecordVersion next = files().writeUser(put(user("x"), RecordVersion.NONE, "1"), ANN);
    assertEquals(4, next.number());
    assertEquals(List.of(), faults());
  }

  @Test
  void isBeforeOrAfterTheLastWriteWhereverItWasCutShort() throws Exception {
    writeSome();
    for (List<RecordWrite> last :
        List.of(
            List.of(put(user("ann"), null, "{\"tier\":\"b\"}")),
            List.of(
                put(rule("a"), null, "9"), put(rule("c"), null, "9"), put(rule("d"), null, "9")))) {
      final Map<String, String> before = all(files());
      final long size = Files.size(today());
      if (last.size() == 1) {
        files().writeUsers(last, ANN);
      } else {
        files().writeRules(null, last, ANN);
      }
      Map<String, String> after = all(files());
      byte[] log = Files.readAllBytes(today());
      for (int end = (int) size; end <= log.length; end++) {
        Path cut = temporary.resolve("cut" + last.size() + "-" + end);
        copy(folder, cut);
        Files.write(cut.resolve(today().getFileName()), Arrays.copyOf(log, end));
        try (FileRecordStore again = open(cut)) {
          assertEquals(end < log.length ? before : after, all(again), "byte " + end);
          again.writeUser(put(user("next"), null, "1"), ANN);
        }
        AuditVerification verification = new AuditVerification();
        AuditFolder.verify(cut, verification);
        assertEquals(List.of(), verification.faults(), "byte " + end);
        try (FileRecordStore again = open(cut)) {
          assertTrue(again.user("next").isPresent());
        }
      }
    }
  }

  @Test
  void passesOverAWriteOfWhichAnyLinesAreMissing() throws Exception {
    writeSome();
    Map<String, String> before = all(files());
    final int size = (int) Files.size(today());
    files()
        .writeUsers(
            List.of(
                put(user("a"), null, "1"), put(user("b"), null, "1"), put(user("c"), null, "1")),
            ANN);
    byte[] log = Files.readAllBytes(today());
    for (int lost = size; lost < log.length; lost += 100) {
      byte[] holed = log.clone();
      Arrays.fill(holed, lost, Math.min(log.length, lost + 100), (byte) 0);
      Path copy = temporary.resolve("holed" + lost);
      copy(folder, copy);
      Files.write(copy.resolve(today().getFileName()), holed);
      try (FileRecordStore again = open(copy)) {
        assertEquals(before, all(again), "lost " + lost);
      }
    }
  }

  @Test
  void refusesABrokenLineBeforeTheLastAndNamesIt() throws Exception {
    writeSome();
    files().close();
    byte[] log = Files.readAllBytes(today());
    int line = 1;
    for (int at = 0; at < log.length - 1; at++) {
      if (log[at] == '\n') {
        line++;
      } else if (at % 7 == 0 && line < 7) {
        byte[] damaged = log.clone();
        damaged[at] ^= 1;
        Files.write(today(), damaged);
        String message = assertThrows(RecordStoreException.class, () -> open(folder)).getMessage();
        assertTrue(message.contains("audit-2026-11-24.jsonl:" + line + ": "), at + " " + message);
      }
    }
    Files.write(today(), log);
    open = open(folder);
  }

  @Test
  void refusesASnapshotThatIsDamagedOrCut() throws Exception {
    many(6000);
    files().close();
    Path path = folder.resolve("records.jsonl");
    byte[] whole = Files.readAllBytes(path);
    assertTrue(whole.length > 100_000);
    byte[] damaged = whole.clone();
    damaged[whole.length / 2] ^= 1;
    Files.write(path, damaged);
    String message = assertThrows(RecordStoreException.class, () -> open(folder)).getMessage();
    assertTrue(message.matches(".*records.jsonl:\\d+: the line is broken.*"), message);
    int end = whole.length - 1;
    while (whole[end - 1] != '\n') {
      end--;
    }
    Files.write(path, Arrays.copyOf(whole, end));
    message = assertThrows(RecordStoreException.class, () -> open(folder)).getMessage();
    assertTrue(message.contains("records (expected: "), message);
    Files.write(path, whole);
    open = open(folder);
  }

  /** Writes so many users, and each tenth again. */
  private void many(int count) throws Exception {
    for (int from = 0; from < count; from += 1000) {
      List<RecordWrite> writes = new ArrayList<>();
      for (int i = from; i < Math.min(count, from + 1000); i++) {
        writes.add(put(user("user-" + i), null, "{\"tier\":\"t" + i % 3 + "\"}"));
        if (i % 10 == 0) {
          writes.add(put(user("user-" + i), null, "{\"n\":" + i + "}"));
        }
      }
      files().writeUsers(writes, ANN);
    }
  }

  @Test
  void keepsAllThroughSnapshotsOfWhichOnlyTheLastIsThere() throws Exception {
    files().writeRules(null, List.of(put(rule("a"), null, "1")), ANN);
    many(9000);
    files().writeUser(put(user("user-7"), null, null), ANN);
    files().writeUser(put(user("user-8"), null, "8"), ANN);
    Map<String, String> before = all(files());
    assertEquals(9000, before.size());
    assertTrue(Files.size(folder.resolve("records.jsonl")) > 100_000, "a snapshot was made");
    reopen();
    assertEquals(before, all(files()));
    many(9000);
    files().close();
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(
          "audit-2026-11-24.jsonl lock records.jsonl",
          files.map(file -> file.getFileName() + "").sorted().collect(Collectors.joining(" ")));
    }
    open = open(folder);
    assertEquals(9001, all(files()).size());
    assertEquals("{\"n\":10}", files().user("user-10").orElseThrow().json());
    assertEquals(List.of(), faults());
  }

  @Test
  void refusesToStartWithoutEntriesThatItNeeds() throws Exception {
    writeSome();
    now = now.plusSeconds(86400);
    files().writeUser(put(user("x"), null, "1"), ANN);
    files().close();
    Files.delete(AuditFolder.file(folder, LocalDate.parse("2026-11-24")));
    String message = assertThrows(RecordStoreException.class, () -> open(folder)).getMessage();
    assertTrue(message.endsWith("audit-2026-11-25.jsonl:1: entry 8 (expected: entry 1)"), message);
    open = null;
  }

  @Test
  void keepsNinetyDaysAndWhatIsNeededOfOlderOnes() throws Exception {
    writeSome();
    for (int days = 1; days <= 92; days++) {
      now = NOON.plusSeconds(86400L * days);
      files().note("reload", rule("a"), ANN);
      assertEquals(days < 92, Files.exists(folder.resolve("audit-2026-11-24.jsonl")), days + "");
    }
    Map<String, String> all = all(files());
    reopen();
    assertEquals(all, all(files()));
    assertEquals(2, all.size());
    assertEquals(List.of(), faults());
  }

  @Test
  void removesNoAuditForAClockThatWasYearsAhead() throws Exception {
    writeSome();
    now = NOON.plusSeconds(86400L * 4000);
    files().note("reload", rule("a"), ANN);
    now = NOON.plusSeconds(60);
    files().note("reload", rule("b"), ANN);
    reopen();
    files().note("reload", rule("c"), ANN);
    assertEquals(
        10, files().audit(new AuditQuery(null, null, null, null, null, 99)).entries().size());
    assertEquals(
        2,
        files()
            .audit(new AuditQuery(NOON.plusSeconds(1), NOON.plusSeconds(99), null, null, null, 99))
            .entries()
            .size());
    assertEquals(List.of(), faults());
  }

  @Test
  void tellsASecondProcessWhoHasTheFolder() throws Exception {
    files();
    String message = assertThrows(RecordStoreException.class, () -> open(folder)).getMessage();
    assertTrue(message.endsWith(" is in use by this process"), message);
    assertEquals(ProcessHandle.current().pid() + "\n", Files.readString(folder.resolve("lock")));
    files().close();
    open = open(folder);
  }

  @Test
  void readsARecordsOfANewerFormatAndWritesNothing() throws Exception {
    writeSome();
    Map<String, String> all = all(files());
    files().close();
    Path path = folder.resolve("records.jsonl");
    String first = Files.readString(path).lines().findFirst().orElseThrow();
    byte[] bytes = first.getBytes();
    String json = RecordLine.json(bytes, 0, bytes.length);
    Files.write(
        path, RecordLine.of(json.replace("{\"format\":1,", "{\"format\":2,\"new\":{\"a\":[1]},")));
    Files.writeString(today(), Files.readString(today()) + "{\"torn");
    byte[] log = Files.readAllBytes(today());
    open = open(folder);
    assertEquals(all, all(files()));
    String message =
        assertThrows(
                RecordStoreException.class, () -> files().writeUser(put(user("x"), null, "1"), ANN))
            .getMessage();
    assertTrue(message.contains("is of format 2, written by a newer version"), message);
    assertTrue(Arrays.equals(log, Files.readAllBytes(today())), "not touched");
  }

  @Test
  void keepsFilesForItsUserAlone() throws Exception {
    writeSome();
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)));
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        assertEquals(
            "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
      }
    }
  }

  @Test
  void writesThroughNoLink() throws Exception {
    files().close();
    Path target = Files.createFile(temporary.resolve("target"));
    Files.createSymbolicLink(today(), target);
    open = null;
    assertThrows(RecordStoreException.class, () -> open(folder));
    assertEquals(0, Files.size(target));
  }

  @Test
  void knowsWhatItsOneSidecarFollows() throws Exception {
    RunningSidecar before = files().sidecars().get(0);
    assertEquals(RecordVersion.NONE, before.inUse());
    RecordVersion used = new RecordVersion(1, 2);
    RecordVersion refused = new RecordVersion(2, 3);
    files().use(used, refused);
    assertEquals(List.of(new RunningSidecar(before.id(), used, refused)), files().sidecars());
  }

  @Test
  void tellsOfEachChange() throws Exception {
    List<String> told = new ArrayList<>();
    files()
        .listen(
            new RecordListener() {
              @Override
              public void rulesChanged(RecordVersion head) {
                told.add("rules " + head.number());
              }

              @Override
              public void userChanged(String identity, RecordVersion version) {
                told.add(identity + " " + version.number());
              }

              @Override
              public void allUsersChanged() {
                told.add("all");
              }

              @Override
              public void usersCounted(long count) {
                told.add(count + " users");
              }
            });
    writeSome();
    assertEquals(
        List.of(
            "0 users",
            "rules 1",
            "ann 1",
            "1 users",
            "bob\n\u2028 2",
            "2 users",
            "bob\n\u2028 3",
            "1 users",
            "rules 2"),
        told);
  }

  @Test
  void copiesEntriesForCollectorsAndDoesNotDependOnThat() throws Exception {
    Path file = temporary.resolve("collected.ndjson");
    FileRecordStore store =
        FileRecordStore.open(temporary.resolve("state"), Clock.systemUTC(), new AuditFile(file));
    open = store;
    store.writeUser(put(user("a\n{\"number\":9}"), null, "1"), ANN);
    assertEquals(1, Files.readAllLines(file).size());
    Files.delete(file);
    Files.createDirectory(file);
    store.writeUser(put(user("b"), null, "1"), ANN);
    Files.delete(file);
    store.writeUser(put(user("c"), null, "1"), ANN);
    assertTrue(store.user("b").isPresent());
    String collected = Files.readString(file);
    assertTrue(collected.contains("\"user\":\"c\""), collected);
    assertFalse(collected.contains("\"user\":\"b\""), collected);
  }
}
