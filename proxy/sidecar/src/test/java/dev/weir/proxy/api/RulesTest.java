package dev.weir.proxy.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.RecordedRules;
import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordWrite;
import dev.weir.proxy.records.StaleRecordException;
import java.math.BigDecimal;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The resources of rules, over sockets, with a store in memory. */
@Timeout(60)
class RulesTest {
  private static final String FILE =
      """
      upstream: http://127.0.0.1:8080
      service: shop
      rules:
        - {id: of-file, limit: 100/1m}
      """;

  private static final String NONE = "\"0-00000000\"";

  /** A set of two rules; the first has its limit in line 3. */
  private static final String TWO =
      """
      {"rules": [
        {"id": "chat", "match": {"path": "/chat"},
         "limit": "10/1m"},
        {"id": "feed", "match": {"path": "/feed"}, "limit": "20/1m"}
      ]}
      """;

  @TempDir private Path folder;

  private final MemoryRecords records = new MemoryRecords(FILE);
  private ApiRig rig;

  @BeforeEach
  void start() throws Exception {
    rig = ApiRig.withTokens(folder, new Rules(records, RulesTest::ofFile).routes());
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private static RecordSet ofFile() {
    return RecordedRules.ofFile(FILE.getBytes(StandardCharsets.UTF_8), Faults.ofFile(""));
  }

  private HttpResponse<String> write(String method, String target, String body, String etag)
      throws Exception {
    return etag == null
        ? rig.send(ApiRig.EDITOR, method, target, body)
        : rig.send(ApiRig.EDITOR, method, target, body, "If-Match", etag);
  }

  private String etag(String target) throws Exception {
    HttpResponse<String> response = rig.get(ApiRig.VIEWER, target);
    assertEquals(200, response.statusCode(), response.body());
    return ApiRig.field(response, "etag");
  }

  private static Map<?, ?> json(HttpResponse<String> response) throws Exception {
    return (Map<?, ?>) JsonText.read(response.body(), 1 << 20);
  }

  /** Each change as {@code action kind id}. */
  private static List<String> changes(HttpResponse<String> response) throws Exception {
    List<String> changes = new ArrayList<>();
    for (Object change : (List<?>) json(response).get("changes")) {
      Map<?, ?> row = (Map<?, ?>) change;
      changes.add(row.get("action") + " " + row.get("kind") + " " + row.get("id"));
    }
    return changes;
  }

  private static void assertStatus(int status, String text, HttpResponse<String> response) {
    assertEquals(status, response.statusCode(), response.body());
    assertTrue(response.body().contains(text), response.body());
  }

  private void putTwo() throws Exception {
    assertStatus(200, "", write("PUT", "/rules", TWO, NONE));
  }

  @Test
  void showsTheRulesOfTheFileUntilThereIsASetAndThenThatOne() throws Exception {
    HttpResponse<String> file = rig.get(ApiRig.VIEWER, "/rules");
    assertEquals(NONE, ApiRig.field(file, "etag"));
    assertEquals("{\"rules\":[{\"id\":\"of-file\",\"limit\":\"100/1m\"}]}", file.body().strip());
    HttpResponse<String> put = write("PUT", "/rules", TWO, NONE);
    assertStatus(200, "", put);
    assertEquals(
        List.of("delete rule of-file", "create rule chat", "create rule feed"), changes(put));
    HttpResponse<String> set = rig.get(ApiRig.VIEWER, "/rules");
    assertEquals("\"1-00000abc\"", ApiRig.field(set, "etag"));
    assertEquals(ApiRig.field(put, "etag"), ApiRig.field(set, "etag"));
    assertEquals(JsonText.read(TWO, 1_000), json(set));
    assertStatus(200, "\"10/1m\"", rig.get(ApiRig.VIEWER, "/rules/chat"));
    assertStatus(404, "No rule", rig.get(ApiRig.VIEWER, "/rules/of-file"));
    HttpResponse<String> known =
        rig.get(ApiRig.VIEWER, "/rules", "If-None-Match", "\"1-00000abc\"");
    assertStatus(304, "", known);
    assertEquals("", known.body());
  }

  @Test
  void putsAllAsOneVersionAndNothingIfNothingDiffers() throws Exception {
    putTwo();
    String other = TWO.replace("20/1m", "30/1m");
    HttpResponse<String> put = write("PUT", "/rules", other, "\"1-00000abc\"");
    assertEquals(List.of("update rule feed"), changes(put));
    assertEquals(2, records.store.writeCount());
    assertEquals("\"1-00000abc\"", etag("/rules/chat"));
    assertEquals("\"2-00000abc\"", etag("/rules/feed"));
    HttpResponse<String> same = write("PUT", "/rules", other, "\"2-00000abc\"");
    assertEquals(List.of(), changes(same));
    assertEquals("\"2-00000abc\"", ApiRig.field(same, "etag"));
    assertEquals(2, records.store.writeCount());
  }

  @Test
  void tellsThatOnlyTheOrderDiffers() throws Exception {
    putTwo();
    String turned =
        """
        {"rules": [
          {"id": "feed", "match": {"path": "/feed"}, "limit": "20/1m"},
          {"id": "chat", "match": {"path": "/chat"}, "limit": "10/1m"}]}
        """;
    HttpResponse<String> put = write("PUT", "/rules", turned, "\"1-00000abc\"");
    assertEquals(List.of("update part order"), changes(put));
    assertEquals(JsonText.read(turned, 1_000), json(rig.get(ApiRig.VIEWER, "/rules")));
  }

  @ParameterizedTest
  @CsvSource({
    "PUT, /rules",
    "DELETE, /rules",
    "PUT, /rules/chat",
    "DELETE, /rules/chat",
  })
  void changesOnlyWhatTheWriterHasSeen(String method, String target) throws Exception {
    putTwo();
    String body =
        !method.equals("PUT") ? null : target.equals("/rules") ? TWO : "{\"limit\":\"1/1s\"}";
    assertStatus(428, "If-Match: missing", write(method, target, body, null));
    HttpResponse<String> stale = write(method, target, body, "\"1-00000000\"");
    assertStatus(412, "\"etag\":\"1-00000abc\"", stale);
    assertEquals("\"1-00000abc\"", ApiRig.field(stale, "etag"));
    assertStatus(412, "", write(method, target, body, NONE));
    assertStatus(412, "", rig.send(ApiRig.EDITOR, method, target, body, "If-None-Match", "*"));
    assertEquals(1, records.store.writeCount());
  }

  @ParameterizedTest
  @CsvSource({"PUT, /rules/chat", "DELETE, /rules/chat", "DELETE, /rules", "POST, /rules"})
  void changesNoSingleRuleWhileTheRulesAreTheFiles(String method, String target) throws Exception {
    String body = method.equals("DELETE") ? null : "{\"id\":\"chat\",\"limit\":\"1/1s\"}";
    assertStatus(409, "The rules are the file's", write(method, target, body, NONE));
    assertEquals(0, records.store.writeCount());
  }

  @Test
  void createsChangesAndDeletesOneRule() throws Exception {
    putTwo();
    HttpResponse<String> post =
        write(
            "POST",
            "/rules",
            "{\"id\":\"new\",\"match\":{\"path\":\"/new\"},\"limit\":\"5/1s\"}",
            null);
    assertStatus(201, "", post);
    assertEquals(List.of("create rule new"), changes(post));
    assertStatus(409, "there already", write("POST", "/rules", "{\"id\":\"new\"}", null));
    HttpResponse<String> put =
        write(
            "PUT",
            "/rules/new",
            "\t{\t\"match\":{\"path\":\"/new\"},\"limit\":\"6/1s\"}",
            ApiRig.field(post, "etag"));
    assertStatus(200, "", put);
    assertEquals(List.of("update rule new"), changes(put));
    assertStatus(200, "\"id\":\"new\"", rig.get(ApiRig.VIEWER, "/rules/new"));
    HttpResponse<String> gone = write("DELETE", "/rules/new", null, ApiRig.field(put, "etag"));
    assertEquals(List.of("delete rule new"), changes(gone));
    assertStatus(404, "", rig.get(ApiRig.VIEWER, "/rules/new"));
    assertStatus(412, "It does not exist", write("DELETE", "/rules/new", null, "\"3-00000abc\""));
    HttpResponse<String> created =
        rig.send(
            ApiRig.EDITOR,
            "PUT",
            "/rules/x",
            "{\"match\":{\"path\":\"/x\"},\"limit\":\"1/1s\"}",
            "If-None-Match",
            "*");
    assertStatus(201, "", created);
  }

  @Test
  void keepsASetWithoutRulesWhenItsLastRuleIsDeleted() throws Exception {
    putTwo();
    write("DELETE", "/rules/chat", null, etag("/rules/chat"));
    write("DELETE", "/rules/feed", null, etag("/rules/feed"));
    assertEquals("{\"rules\":[]}", rig.get(ApiRig.VIEWER, "/rules").body().strip());
    assertFalse(etag("/rules").equals(NONE));
  }

  @Test
  void returnsToTheFileWhenTheSetIsDeleted() throws Exception {
    putTwo();
    HttpResponse<String> deleted = write("DELETE", "/rules", null, "\"1-00000abc\"");
    assertStatus(200, "", deleted);
    assertEquals(NONE, etag("/rules"));
    assertStatus(200, "of-file", rig.get(ApiRig.VIEWER, "/rules"));
    assertStatus(200, "", write("PUT", "/rules", TWO, NONE));
    assertEquals("\"3-00000abc\"", etag("/rules"));
  }

  @Test
  void showsByADryRunWhatAWriteWouldChange() throws Exception {
    putTwo();
    String other = TWO.replace("20/1m", "30/1m");
    for (String[] each :
        List.of(
            new String[] {"PUT", "/rules?dry-run", other, "update rule feed"},
            new String[] {
              "PUT", "/rules/feed?dry-run=true", "{\"limit\":\"1/1s\"}", "update rule feed"
            },
            new String[] {"DELETE", "/rules/feed?dry-run", null, "delete rule feed"},
            new String[] {
              "POST",
              "/rules?dry-run",
              "{\"id\":\"n\",\"match\":{\"path\":\"/n\"},\"limit\":\"1/1s\"}",
              "create rule n"
            })) {
      HttpResponse<String> dry = write(each[0], each[1], each[2], "\"1-00000abc\"");
      assertStatus(200, "", dry);
      assertEquals(List.of(each[3]), changes(dry));
      assertEquals("", ApiRig.field(dry, "etag"));
    }
    assertStatus(412, "", write("PUT", "/rules?dry-run", other, "\"7-00000abc\""));
    assertStatus(412, "", write("PUT", "/rules/feed?dry-run", "{\"limit\":\"1/1s\"}", NONE));
    assertEquals(1, records.store.writeCount());
    String idle =
        TWO.replace(
            "\"limit\": \"10/1m\"",
            "\"limits\": [{\"limit\": \"10/1m\"}, {\"limit\": \"10000/1h\"}]");
    HttpResponse<String> odd = write("PUT", "/rules?dry-run", idle, "\"1-00000abc\"");
    assertStatus(
        200, "\"warnings\":[\"line 3: /rules/0/limits/1/limit: warning: 10000/1h never", odd);
  }

  @Test
  void refusesASetThatNoSidecarCouldTakeWithPointerAndLine() throws Exception {
    HttpResponse<String> bad = write("PUT", "/rules", TWO.replace("10/1m", "0/1m"), NONE);
    assertStatus(422, "nothing was changed", bad);
    Map<?, ?> fault = (Map<?, ?>) ((List<?>) json(bad).get("errors")).get(0);
    assertEquals("/rules/0/limit", fault.get("pointer"));
    assertEquals(new BigDecimal(3), fault.get("line"));
    assertEquals("0/1m", fault.get("found"));
    assertTrue(fault.get("expected").toString().contains("1 or more"), fault.toString());
    putTwo();
    HttpResponse<String> one =
        write(
            "PUT",
            "/rules/chat",
            "{\n\"match\":{\"path\":\"/chat\"},\n\"limit\":\"x\"}",
            "\"1-00000abc\"");
    assertStatus(422, "\"pointer\":\"/limit\",\"line\":3", one);
    assertStatus(
        422,
        "\"pointer\":\"/id\"",
        write("PUT", "/rules/chat", "{\"id\":\"other\",\"limit\":\"1/1s\"}", "\"1-00000abc\""));
    assertEquals(1, records.store.writeCount());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "1",
        "{",
        "{\"rules\":1}",
        "{\"rules\":{}}",
        "{\"rules\":[{\"limit\":\"1/1s\"}]}",
        "{\"rules\":[{\"id\":\"a\",\"limit\":\"1/1s\"},{\"id\":\"a\",\"limit\":\"1/1s\"}]}",
        "{\"rules\":[],\"rules\":[]}",
        "{\"rules\":[],\"order\":[]}",
        "{\"rules\":[],\"upstream\":\"http://127.0.0.1:1\"}",
        "{\"rules\":[],\"none\":1}",
        "{\"lists\":{\"deny\":[\"file:/etc/passwd\"]}}",
        "rules: []",
        "{\"rules\":[{\"id\":\"a\",\"limit\":\"1/1s\",\"burst\":\"\\ud800\"}]}"
      })
  void refusesWhatIsNoSetOfRules(String body) throws Exception {
    HttpResponse<String> response = write("PUT", "/rules", body, NONE);
    assertStatus(422, "\"errors\":[{", response);
    assertFalse(response.body().contains("root:"), response.body());
    assertEquals(0, records.store.writeCount());
  }

  private void assertTooLong(String target, String body) throws Exception {
    assertStatus(413, "too long", ApiRig.answer(() -> write("PUT", target, body, NONE)));
  }

  @Test
  void refusesJsonThatIsTooDeepOrTooLong() throws Exception {
    assertStatus(422, "", write("PUT", "/rules", "[".repeat(100_000), NONE));
    assertTooLong("/rules/a", " ".repeat(70_000));
    String longest = "{\"rules\":[]}" + " ".repeat(Rules.SET_BYTES - 12);
    assertStatus(200, "", write("PUT", "/rules?dry-run", longest, NONE));
    assertTooLong("/rules?dry-run", longest + " ");
    HttpResponse<String> split = write("PUT", "/rules", "{\"rules\"\n:[]}", NONE);
    assertStatus(422, "\"line\":2,\"found\":\"while parsing", split);
    assertFalse(split.body().contains("expected\":\"\""), split.body());
  }

  @Test
  void losesNoChangeOfAnotherRuleAndCompilesAnew() throws Exception {
    putTwo();
    AtomicInteger other = new AtomicInteger();
    records.beforeWrite =
        () -> {
          try {
            other.set(
                rulesOfAnother(
                        "PUT", "/rules/feed", "{\"match\":{\"path\":\"/feed\"},\"limit\":\"7/1m\"}")
                    .statusCode());
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        };
    HttpResponse<String> mine =
        write(
            "PUT",
            "/rules/chat",
            "{\"match\":{\"path\":\"/chat\"},\"limit\":\"8/1m\"}",
            "\"1-00000abc\"");
    assertStatus(200, "", mine);
    assertEquals(200, other.get());
    String all = rig.get(ApiRig.VIEWER, "/rules").body();
    assertTrue(all.contains("7/1m") && all.contains("8/1m"), all);
  }

  @Test
  void givesUpWhereOthersChangeTheRulesAllTheTime() throws Exception {
    putTwo();
    AtomicInteger times = new AtomicInteger();
    RecordName feed = new RecordName(RecordName.Kind.RULE, "feed");
    records.beforeWrite =
        new Runnable() {
          @Override
          public void run() {
            String json =
                "{\"id\":\"feed\",\"match\":{\"path\":\"/feed\"},\"limit\":\""
                    + times.incrementAndGet()
                    + "/1m\"}";
            try {
              records.store.writeRules(
                  null,
                  List.of(new RecordWrite(feed, null, json)),
                  new Author("another", "", "", ""));
            } catch (StaleRecordException | RecordStoreException impossible) {
              throw new AssertionError(impossible);
            }
            records.beforeWrite = this;
          }
        };
    HttpResponse<String> busy =
        write(
            "PUT",
            "/rules/chat",
            "{\"match\":{\"path\":\"/chat\"},\"limit\":\"1/1s\"}",
            "\"1-00000abc\"");
    assertStatus(503, "Others change the rules all the time", busy);
    assertEquals("1", ApiRig.field(busy, "retry-after"));
    assertEquals(50, times.get());
  }

  @Test
  void saysWhetherAReplicaHasIt() throws Exception {
    records.replicated = true;
    HttpResponse<String> first = write("PUT", "/rules", TWO, NONE);
    assertStatus(200, "\"replicated\":true", first);
    String etag = ApiRig.field(first, "etag");
    records.replicated = false;
    HttpResponse<String> same = write("PUT", "/rules", TWO, etag);
    assertStatus(200, "\"replicated\":null", same); // nothing was written
    assertFalse(write("DELETE", "/rules?dry-run", null, etag).body().contains("replicated"));
    assertStatus(200, "\"replicated\":false", write("DELETE", "/rules", null, etag));
  }

  /** A write by another sidecar. */
  private HttpResponse<String> rulesOfAnother(String method, String target, String body)
      throws Exception {
    try (ApiRig another =
        ApiRig.withTokens(folder, new Rules(records, RulesTest::ofFile).routes())) {
      String etag = ApiRig.field(another.get(ApiRig.VIEWER, target), "etag");
      return another.send(ApiRig.EDITOR, method, target, body, "If-Match", etag);
    }
  }

  @Test
  void saysHowManySidecarsHaveIt() throws Exception {
    HttpResponse<String> put = write("PUT", "/rules?wait=1s", TWO, NONE);
    assertStatus(200, "\"sidecars\":{\"live\":3,\"using\":2,\"refusing\":1}", put);
    assertStatus(
        200, "\"sidecars\":null", write("DELETE", "/rules?wait=0s", null, "\"1-00000abc\""));
    for (String wait : List.of("", "1", "11s", "-1s", "1m", "10001ms")) {
      assertStatus(400, "parameter wait", write("PUT", "/rules?wait=" + wait, TWO, NONE));
    }
  }

  @Test
  void readsOnFromTheLastGoodCopyWhileTheStoreIsAway() throws Exception {
    putTwo();
    records.inUse = records.store.rules();
    records.away = "redis: does not answer";
    HttpResponse<String> copy = rig.get(ApiRig.VIEWER, "/rules");
    assertStatus(200, "chat", copy);
    assertEquals("12", ApiRig.field(copy, "weir-stale"));
    assertEquals("\"1-00000abc\"", ApiRig.field(copy, "etag"));
    assertEquals("12", ApiRig.field(rig.get(ApiRig.VIEWER, "/rules/chat"), "weir-stale"));
    assertStatus(503, "redis: does not answer", write("PUT", "/rules", TWO, "\"1-00000abc\""));
    records.inUse = RecordSet.NONE;
    assertStatus(200, "of-file", rig.get(ApiRig.VIEWER, "/rules"));
  }

  @Test
  void saysWhyAStoreTakesNoWrites() throws Exception {
    putTwo();
    for (String reason :
        List.of("the disk is full", "of format 2 (expected: 1)", "redis: READONLY")) {
      records.readOnly = reason;
      assertStatus(
          503, reason, write("PUT", "/rules", TWO.replace("10/", "11/"), "\"1-00000abc\""));
      assertStatus(503, reason, write("DELETE", "/rules/chat", null, "\"1-00000abc\""));
      HttpResponse<String> read = rig.get(ApiRig.VIEWER, "/rules");
      assertStatus(200, "chat", read);
      assertEquals("", ApiRig.field(read, "weir-stale"));
    }
  }

  @Test
  void showsTheLastGoodSetOfAStoreThatLostItSoThatItCanBePutBack() throws Exception {
    putTwo();
    records.inUse = records.store.rules();
    records.store.lose();
    HttpResponse<String> last = rig.get(ApiRig.VIEWER, "/rules");
    assertStatus(200, "chat", last);
    assertEquals(NONE, ApiRig.field(last, "etag"));
    assertStatus(
        409,
        "The store has lost its records",
        write("PUT", "/rules/chat", "{\"limit\":\"1/1s\"}", NONE));
    HttpResponse<String> back = write("PUT", "/rules", last.body(), NONE);
    assertStatus(200, "\"changes\":[]", back);
    assertEquals("\"1-00000abc\"", etag("/rules"));
  }

  @Test
  void changesNothingWithoutRecords() throws Exception {
    try (ApiRig without = ApiRig.withTokens(folder, new Rules(null, RulesTest::ofFile).routes())) {
      assertStatus(200, "of-file", without.get(ApiRig.VIEWER, "/rules"));
      assertStatus(
          409,
          "no records are kept",
          without.send(ApiRig.EDITOR, "PUT", "/rules", TWO, "If-Match", NONE));
    }
    try (ApiRig flags = ApiRig.withTokens(folder, new Rules(null, () -> null).routes())) {
      assertStatus(404, "flags", flags.get(ApiRig.VIEWER, "/rules"));
    }
    try (ApiRig flags = ApiRig.withTokens(folder, new Rules(records, () -> null).routes())) {
      HttpResponse<String> first =
          flags.send(ApiRig.EDITOR, "PUT", "/rules", TWO, "If-None-Match", "*");
      assertStatus(200, "", first);
      assertEquals(List.of("create rule chat", "create rule feed"), changes(first));
    }
  }

  @Test
  void losesNoUpdateOfEightWritersAtTwoSidecars() throws Exception {
    putTwo();
    int writers = 8;
    int rounds = 6;
    String[] tokens = new String[writers]; // each has its own limit of writes
    for (int i = 0; i < writers; i++) {
      tokens[i] = "w" + i + " editor " + ApiRig.sha256("writer" + i);
    }
    List<ApiRoute> routes = new Rules(records, RulesTest::ofFile).routes();
    List<Throwable> failed = Collections.synchronizedList(new ArrayList<>());
    try (ApiRig one = ApiRig.withTokens(folder, routes, tokens);
        ApiRig other = ApiRig.withTokens(folder, routes, tokens)) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < writers; i++) {
        ApiRig sidecar = i % 2 == 0 ? one : other;
        String token = "writer" + i;
        threads.add(new Thread(() -> addOften(sidecar, token, rounds, failed)));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    assertEquals(List.of(), failed);
    String sum = 10 + writers * rounds + "/1m";
    assertEquals(sum, json(rig.get(ApiRig.VIEWER, "/rules/chat")).get("limit"));
    assertEquals(1 + writers * rounds, records.store.writeCount());
  }

  /** Adds 1 to the limit, again and again, as other writers do. */
  private static void addOften(ApiRig sidecar, String token, int rounds, List<Throwable> failed) {
    try {
      for (int done = 0; done < rounds; ) {
        HttpResponse<String> read = sidecar.get(token, "/rules/chat");
        String limit = (String) json(read).get("limit");
        int next = Integer.parseInt(limit.replace("/1m", "")) + 1;
        String body = "{\"match\":{\"path\":\"/chat\"},\"limit\":\"" + next + "/1m\"}";
        String etag = ApiRig.field(read, "etag");
        HttpResponse<String> put =
            sidecar.send(token, "PUT", "/rules/chat", body, "If-Match", etag);
        assertEquals(put.statusCode() == 200 ? 200 : 412, put.statusCode(), put.body());
        done += put.statusCode() == 200 ? 1 : 0;
      }
    } catch (Throwable fault) {
      failed.add(fault);
    }
  }
}
