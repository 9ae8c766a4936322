package dev.weir.proxy.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.records.AuditEntry;
import dev.weir.proxy.records.AuditQuery;
import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.RecordWrite;
import dev.weir.proxy.records.file.FileRecordStore;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /audit}, over sockets, with a store in files. */
@Timeout(60)
class AuditTest {
  @TempDir private Path folder;
  private FileRecordStore store;
  private ApiRig rig;

  @BeforeEach
  void start() throws Exception {
    Clock clock = Clock.fixed(Instant.parse("2026-11-24T10:00:00Z"), ZoneOffset.UTC);
    store = FileRecordStore.open(folder.resolve("records"), clock, null);
    RecordName ann = new RecordName(Kind.USER, "ann");
    RecordName chat = new RecordName(Kind.RULE, "chat");
    store.writeUser(new RecordWrite(ann, null, "{\"tier\":\"free\"}"), author("eddy"));
    store.writeRules(
        null, List.of(new RecordWrite(chat, null, "{\"id\":\"chat\"}")), author("ada"));
    store.note("reset", ann, author("eddy"));
    rig = ApiRig.withTokens(folder, new Audit(store).routes());
  }

  private static Author author(String name) {
    return new Author(name, "127.0.0.1", "", "why \"so\"");
  }

  @AfterEach
  void stop() {
    rig.close();
    store.close();
  }

  /** Each entry as {@code number action by}. */
  private static List<String> entries(HttpResponse<String> page) throws Exception {
    assertEquals(200, page.statusCode(), page.body());
    List<String> entries = new ArrayList<>();
    for (Object each : (List<?>) page(page).get("entries")) {
      Map<?, ?> entry = (Map<?, ?>) each;
      entries.add(entry.get("number") + " " + entry.get("action") + " " + entry.get("by"));
    }
    return entries;
  }

  private static Map<?, ?> page(HttpResponse<String> page) throws Exception {
    return (Map<?, ?>) JsonText.read(page.body(), 1 << 20);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/audit | 3 reset eddy,2 create ada,1 create eddy",
        "/audit?author=eddy | 3 reset eddy,1 create eddy",
        "/audit?object=chat | 2 create ada",
        "/audit?kind=rules | 2 create ada",
        "/audit?kind=users | 3 reset eddy,1 create eddy",
        "/audit?from=2026-11-24&to=2026-11-25 | 3 reset eddy,2 create ada,1 create eddy",
        "/audit?to=2026-11-24T10:00:00Z | ''",
        "/audit?from=2026-11-25 | ''"
      })
  void listsWhatIsAskedFor(String target, String expected) throws Exception {
    assertEquals(expected, String.join(",", entries(rig.get(ApiRig.EDITOR, target))));
  }

  @Test
  void goesOnWhereThePageBeforeEnded() throws Exception {
    HttpResponse<String> first = rig.get(ApiRig.EDITOR, "/audit?most=2");
    assertEquals(List.of("3 reset eddy", "2 create ada"), entries(first));
    String next = (String) page(first).get("next");
    assertEquals(List.of("1 create eddy"), entries(rig.get(ApiRig.EDITOR, "/audit?after=" + next)));
  }

  @Test
  void showsEachEntryAsItWasWritten() throws Exception {
    String body = rig.get(ApiRig.ADMIN, "/audit").body();
    for (var entry : store.audit(new AuditQuery(null, null, null, null, null, 10)).entries()) {
      assertTrue(body.contains(entry.toJson()), body);
    }
  }

  @Test
  void hidesUsersFromViewers() throws Exception {
    String body = rig.get(ApiRig.VIEWER, "/audit").body();
    assertTrue(body.contains("\"user\":\"hidden:") && body.contains("\"rule\":\"chat\""), body);
    assertFalse(body.contains("ann"), body);
  }

  @ParameterizedTest
  @CsvSource({
    "from=yesterday",
    "to=2026-13-01",
    "most=0",
    "most=1001",
    "after=x y",
    "kind=user",
    "page=1"
  })
  void refusesParametersThatItCannotRead(String parameter) throws Exception {
    HttpResponse<String> bad = rig.get(ApiRig.EDITOR, "/audit?" + parameter.replace(" ", "%20"));
    assertEquals(400, bad.statusCode(), bad.body());
    assertTrue(bad.body().contains("expected: "), bad.body());
  }

  @Test
  void isEmptyWithoutRecords() throws Exception {
    try (ApiRig without = ApiRig.withTokens(folder, new Audit(null).routes())) {
      assertEquals(
          "{\"entries\":[],\"next\":null}", without.get(ApiRig.VIEWER, "/audit").body().strip());
    }
  }

  @Test
  void exportsToAdminsOnlyEachEntryAsItWasWritten() throws Exception {
    assertEquals(403, rig.get(ApiRig.VIEWER, "/audit:export").statusCode());
    assertEquals(403, rig.get(ApiRig.EDITOR, "/audit:export").statusCode());
    HttpResponse<String> all = rig.get(ApiRig.ADMIN, "/audit:export");
    assertEquals(200, all.statusCode(), all.body());
    assertEquals("application/x-ndjson", ApiRig.field(all, "content-type"));
    assertEquals("", ApiRig.field(all, "weir-next"));
    List<String> lines = all.body().lines().toList();
    assertEquals(3, lines.size());
    for (String line : lines) {
      assertEquals(line, AuditEntry.parse(line).toJson());
    }
    HttpResponse<String> some = rig.get(ApiRig.ADMIN, "/audit:export?author=ada");
    assertEquals(lines.get(1), some.body().strip());
    assertEquals(400, rig.get(ApiRig.ADMIN, "/audit:export?most=3").statusCode());
  }
}
