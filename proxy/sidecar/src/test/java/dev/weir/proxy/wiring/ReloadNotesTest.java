package dev.weir.proxy.wiring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.RuleReload;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.records.AuditEntry;
import dev.weir.proxy.records.AuditQuery;
import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.file.FileRecordStore;
import dev.weir.scripts.server.Await;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes by the settings file stand in the audit, be its store there or not. */
class ReloadNotesTest {
  @TempDir private Path folder;
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final List<Long> delays = new ArrayList<>();
  private RecordStore store;
  private Instant now = Instant.parse("2026-11-24T10:00:00Z");
  private String away;
  private boolean isAnswerLost;

  @BeforeEach
  void open() throws Exception {
    InstantSource clock = () -> now;
    store = FileRecordStore.open(folder.resolve("records"), clock.withZone(ZoneOffset.UTC), null);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private ReloadNotes notes(String sidecar) {
    RecordStore mayBeAway =
        (RecordStore)
            Proxy.newProxyInstance(
                RecordStore.class.getClassLoader(),
                new Class<?>[] {RecordStore.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("sidecar")) {
                    return sidecar;
                  }
                  if (away != null) {
                    throw new RecordStoreException(away);
                  }
                  try {
                    Object answer = method.invoke(store, arguments);
                    if (method.getName().equals("note") && isAnswerLost) {
                      throw new RecordStoreException("redis: no answer").perhapsWritten();
                    }
                    return answer;
                  } catch (InvocationTargetException thrown) {
                    throw thrown.getCause();
                  }
                });
    return new ReloadNotes(
        mayBeAway,
        () -> now,
        mostMs -> mostMs - 1,
        (task, delayMs) -> {
          tasks.add(task);
          delays.add(delayMs);
        });
  }

  private void run() {
    tasks.remove().run();
  }

  private static List<String> entries(RecordStore store) throws RecordStoreException {
    List<String> entries = new ArrayList<>();
    for (AuditEntry entry :
        store.audit(new AuditQuery(null, null, null, null, null, 100)).entries()) {
      entries.add(entry.author().name() + " " + entry.action() + ", " + entry.author().reason());
    }
    return entries;
  }

  @Test
  void notesWhatChangedWhileTheStoreWasAwayOnceItIsBack() throws Exception {
    ReloadNotes notes = notes("");
    away = "redis: does not answer";
    notes.add("d1");
    now = now.plusSeconds(60);
    notes.add("d1");
    run();
    run();
    assertEquals(List.of(999L, 1_999L, 3_999L), delays);
    away = null;
    run();
    assertEquals(
        List.of(
            "file reload, rules changed at 2026-11-24T10:01:00Z, digest d1",
            "file reload, rules changed at 2026-11-24T10:00:00Z, digest d1"),
        entries(store));
    assertTrue(tasks.isEmpty());
    assertEquals(0, notes.lostCount());
    notes.add("d1");
    assertEquals(1, tasks.size(), "told again");
    assertEquals(999L, delays.get(3));
  }

  @Test
  void countsWhatIsLostOfTooManyThatWait() throws Exception {
    ReloadNotes notes = notes("");
    away = "redis: does not answer";
    for (int i = 0; i < ReloadNotes.MOST + 2; i++) {
      notes.add("d" + i);
      now = now.plusSeconds(1);
    }
    run();
    away = null;
    run();
    assertEquals(2, notes.lostCount());
    List<String> entries = entries(store);
    assertEquals(ReloadNotes.MOST, entries.size());
    assertTrue(
        entries.get(ReloadNotes.MOST - 1).endsWith("10:00:02Z, digest d2"), entries.toString());
  }

  @Test
  void triesLessOftenTheLongerTheStoreIsAway() {
    away = "redis: does not answer";
    notes("s1").add("d1");
    for (int i = 0; i < 7; i++) {
      run();
    }
    assertEquals(List.of(999L, 1_999L, 3_999L, 7_999L, 15_999L, 31_999L, 59_999L, 59_999L), delays);
  }

  @Test
  void aFleetThatReloadsOneFileLeavesOneEntry() throws Exception {
    List<ReloadNotes> fleet = fleet();
    for (String digest : List.of("d1", "d2", "d1")) {
      fleet.forEach(each -> each.add(digest));
      while (!tasks.isEmpty()) {
        run();
      }
      now = now.plusSeconds(60);
    }
    assertEquals(
        List.of(
            "file reload, rules changed at 2026-11-24T10:02:00Z on sidecar s0, digest d1",
            "file reload, rules changed at 2026-11-24T10:01:00Z on sidecar s0, digest d2",
            "file reload, rules changed at 2026-11-24T10:00:00Z on sidecar s0, digest d1"),
        entries(store));
  }

  @Test
  void aFleetWhoseStoreWasAwayLeavesOneEntryOfEachReload() throws Exception {
    List<ReloadNotes> fleet = fleet();
    away = "redis: does not answer";
    for (String digest : List.of("d1", "d2", "d1")) {
      fleet.forEach(each -> each.add(digest));
      now = now.plusSeconds(60);
    }
    for (int i = 0; i < fleet.size(); i++) {
      run();
    }
    away = null;
    while (!tasks.isEmpty()) {
      run();
    }
    assertEquals(
        List.of("d1", "d2", "d1"),
        entries(store).stream().map(entry -> entry.substring(entry.length() - 2)).toList());
  }

  private List<ReloadNotes> fleet() {
    return IntStream.range(0, 20).mapToObj(i -> notes("s" + i)).toList();
  }

  @Test
  void notesWhatTheDigestDoesNotTellApart() throws Exception {
    ReloadNotes notes = notes("s1");
    notes.add("d1");
    run();
    now = now.plusSeconds(1);
    notes.add("d1");
    run();
    assertEquals(2, entries(store).size());
  }

  @Test
  void takesNoActOfSomebodyElseForAReload() throws Exception {
    store.note(
        "reload",
        new RecordName(Kind.PART, "file"),
        new Author("file", "10.0.0.1", "r1", "of sidecar s2, digest d1"));
    notes("s1").add("d1");
    run();
    assertEquals(2, entries(store).size());
  }

  @Test
  void notesOnceThoughTheAnswerIsLost() throws Exception {
    isAnswerLost = true;
    notes("s1").add("d1");
    run();
    isAnswerLost = false;
    run();
    assertEquals(1, entries(store).size());
    assertTrue(tasks.isEmpty());
  }

  @Test
  void aReloadOfTheFileThatChangesRulesIsInTheAudit() throws Exception {
    Path file = folder.resolve("weir.yaml");
    String yaml =
        "upstream: http://127.0.0.1:1\nlisten: 127.0.0.1:0\nadmin: off\ntable: {keys: 1000}\n"
            + "records: {store: file, folder: %s}\nrules: [{id: a, limit: 5/1m}]\n"
                .formatted(folder.resolve("of-sidecar"));
    Files.writeString(file, yaml);
    Settings settings = new SettingsFile().read(file, Faults.ofFile("weir.yaml"));
    try (Sidecar sidecar = Sidecar.start(settings);
        RuleReload reload =
            new RuleReload(file, settings, sidecar.ruleReloads(), sidecar.ruleChoice())) {
      sidecar.follow(reload);
      RecordStore records = sidecar.records().store();
      sidecar.reload();
      assertEquals(List.of(), entries(records), "nothing was changed");
      Files.writeString(file, yaml.replace("5/1m", "6/1m"));
      sidecar.reload();
      Await.until("an entry", () -> !entriesOf(records).isEmpty());
      assertTrue(entries(records).get(0).startsWith("file reload, rules changed at "));
      Files.writeString(file, yaml.replace("5/1m", "none"));
      sidecar.reload();
      assertEquals(1, entries(records).size(), "a file with faults changes nothing");
    }
  }

  private static List<String> entriesOf(RecordStore store) {
    try {
      return entries(store);
    } catch (RecordStoreException away) {
      throw new AssertionError(away);
    }
  }
}
