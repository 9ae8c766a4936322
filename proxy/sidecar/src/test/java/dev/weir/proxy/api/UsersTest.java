package dev.weir.proxy.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.records.AuditQuery;
import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordWrite;
import dev.weir.proxy.records.StoredRecord;
import dev.weir.proxy.records.file.FileRecordStore;
import dev.weir.proxy.rule.Plan;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.Amount;
import java.math.BigDecimal;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Users over sockets, on a store in a folder, with rules that nobody decides by. */
@Timeout(60)
class UsersTest {
  private static final Instant NOW = Instant.parse("2026-11-24T12:00:00Z");
  private static final Author AUTHOR = new Author("test", "", "", "");
  private static final String RULES =
      """
      service: shop
      users: {identity: "header:x-user-id", tiers: [free, premium], directory: shop}
      rules:
        - id: chat
          match: {path: /chat/**}
          key: header:x-user-id
          limits:
            - {name: rpm, limit: 60/1m, tiers: {premium: 600/1m}}
            - {name: running, concurrency: 4}
          ban: {after: 50/1m, for: [1m]}
      """;

  @TempDir private Path folder;

  private RecordStore store;
  private RuleSet rules;
  private ApiRig rig;
  private final List<String> acts = new ArrayList<>();

  private final UserLimits limits =
      new UserLimits() {
        @Override
        public CompletionStage<List<UserLimit>> look(String user) {
          Amount amount = Amount.parse("60/1m");
          return CompletableFuture.completedFuture(
              List.of(
                  new UserLimit(
                      "chat",
                      "rpm",
                      amount,
                      Plan.Says.TIER,
                      "exact",
                      new UserLimit.Left(60, 50, 4, 1_500_000_000),
                      null,
                      2_000_000_000),
                  new UserLimit(
                      "chat", "daily", Amount.UNLIMITED, Plan.Says.USER, "local", null, null, 0)));
        }

        @Override
        public CompletionStage<String> reset(String user, String limit) {
          acts.add("reset " + user + " " + limit);
          return CompletableFuture.completedFuture(limit == null ? null : "chat: store away");
        }

        @Override
        public CompletionStage<Void> ban(String user, long forNs) {
          acts.add("ban " + user + " " + Duration.ofNanos(forNs));
          return CompletableFuture.completedFuture(null);
        }
      };

  @BeforeEach
  void start() throws Exception {
    rules = rules(RULES);
    store = FileRecordStore.open(folder.resolve("records"), Clock.fixed(NOW, ZoneOffset.UTC), null);
    serve(store);
  }

  private void serve(RecordStore from) throws Exception {
    rig = ApiRig.withTokens(folder, new Users(() -> rules, from, limits, () -> NOW).routes());
  }

  private static RuleSet rules(String yaml) {
    Faults faults = Faults.ofFile("");
    Settings settings =
        new SettingsFile()
            .read(
                ("upstream: http://127.0.0.1:1\ntrusted-proxies: [127.0.0.1]\n" + yaml)
                    .getBytes(StandardCharsets.UTF_8),
                faults);
    assertNotNull(settings, faults::toString);
    return settings.rules().compile(RuleSet.EMPTY);
  }

  @AfterEach
  void stop() {
    rig.close();
    store.close();
  }

  private HttpResponse<String> send(String method, String target, String body, String... fields)
      throws Exception {
    String json = body == null ? null : body.replace('\'', '"');
    return rig.send(ApiRig.EDITOR, method, target, json, fields);
  }

  private static String etag(HttpResponse<String> answer) {
    return ApiRig.field(answer, "ETag");
  }

  private HttpResponse<String> create(String user, String record) throws Exception {
    HttpResponse<String> answer = send("PUT", "/users/" + user, record, "If-None-Match", "*");
    assertEquals(201, answer.statusCode(), answer.body());
    return answer;
  }

  private static Map<?, ?> json(HttpResponse<String> answer) throws Exception {
    return (Map<?, ?>) JsonText.read(answer.body(), 1 << 20);
  }

  private static String errors(HttpResponse<String> answer) throws Exception {
    return ((List<?>) json(answer).get("errors"))
        .stream()
            .map(each -> (Map<?, ?>) each)
            .map(
                each ->
                    each.get("pointer") + ": " + each.get("found") + " | " + each.get("expected"))
            .collect(Collectors.joining("; "));
  }

  private String kept(String user) throws Exception {
    return store.user(user).map(StoredRecord::json).orElse("none").replace('"', '\'');
  }

  private List<String> audit() throws Exception {
    return store.audit(new AuditQuery(null, null, null, null, null, 100)).entries().stream()
        .map(entry -> entry.author().name() + " " + entry.action() + " " + entry.object().id())
        .toList();
  }

  @Test
  void aUserIsCreatedReadChangedAndRemovedByItsEtag() throws Exception {
    assertEquals(404, send("GET", "/users/ann", null).statusCode());
    HttpResponse<String> created = create("ann", "{'tier':'premium'}");
    HttpResponse<String> read = send("GET", "/users/ann", null);
    assertEquals(etag(created), etag(read));
    assertTrue(created.body().contains("\"replicated\":null"), "a folder has no replica");
    assertEquals(
        Map.of(
            "id", "ann",
            "etag", etag(read).replace("\"", ""),
            "record", Map.of("tier", "premium")),
        json(read));
    for (String target : List.of("/users/ann", "/users/ann/tier")) {
      assertEquals(304, send("GET", target, null, "If-None-Match", etag(read)).statusCode());
    }
    assertEquals(428, send("PUT", "/users/ann", "{}").statusCode());
    assertEquals(412, send("PUT", "/users/ann", "{}", "If-None-Match", "*").statusCode());
    HttpResponse<String> changed =
        send("PUT", "/users/ann", "{'limits':{'rpm':'90/1m'}}", "If-Match", etag(read));
    assertEquals(200, changed.statusCode(), changed.body());
    HttpResponse<String> stale = send("PUT", "/users/ann", "{}", "If-Match", etag(read));
    assertEquals(412, stale.statusCode());
    assertEquals(etag(changed), etag(stale));
    assertEquals("eddy", json(stale).get("written-by"));
    assertEquals("{'limits':{'rpm':'90/1m'}}", kept("ann"));
    assertEquals(428, send("DELETE", "/users/ann", null).statusCode());
    assertEquals(204, send("DELETE", "/users/ann", null, "If-Match", etag(changed)).statusCode());
    assertEquals("none", kept("ann"));
    assertEquals(List.of("eddy delete ann", "eddy update ann", "eddy create ann"), audit());
  }

  @Test
  void aPartIsSetAloneAndTheOthersStay() throws Exception {
    HttpResponse<String> tier = send("PUT", "/users/ann/tier", "'premium'", "If-None-Match", "*");
    assertEquals(201, tier.statusCode(), tier.body());
    assertEquals(412, send("PUT", "/users/ann/tier", "'free'", "If-None-Match", "*").statusCode());
    HttpResponse<String> limit =
        send("PUT", "/users/ann/limits/rpm", "{'limit':'90/1m','burst':5}", "If-Match", etag(tier));
    assertEquals(201, limit.statusCode(), limit.body());
    assertEquals("{'tier':'premium','limits':{'rpm':{'limit':'90/1m','burst':5}}}", kept("ann"));
    assertEquals("\"premium\"\n", send("GET", "/users/ann/tier", null).body());
    assertEquals(
        Map.of("limit", "90/1m", "burst", new BigDecimal(5)),
        json(send("GET", "/users/ann/limits/rpm", null)));
    assertEquals(404, send("GET", "/users/ann/limits/running", null).statusCode());
    HttpResponse<String> removed =
        send("DELETE", "/users/ann/limits/rpm", null, "If-Match", etag(limit));
    assertEquals("{'tier':'premium'}", kept("ann"));
    assertEquals(
        412, send("DELETE", "/users/ann/tier", null, "If-Match", etag(limit)).statusCode());
    assertEquals(
        200, send("DELETE", "/users/ann/tier", null, "If-Match", etag(removed)).statusCode());
    assertEquals("{}", kept("ann"));
  }

  @Test
  void aDryRunAnswersWhatWouldBeAndWritesNothing() throws Exception {
    String record = "{'tier':'premium'}";
    HttpResponse<String> would = send("PUT", "/users/ann?dry-run", record, "If-None-Match", "*");
    assertEquals(200, would.statusCode(), would.body());
    assertEquals(
        "{\"id\":\"ann\",\"etag\":\"0-00000000\",\"record\":{\"tier\":\"premium\"}}",
        would.body().strip());
    assertEquals(404, send("GET", "/users/ann", null).statusCode());
    HttpResponse<String> made = send("PUT", "/users/ann", record, "If-None-Match", "*");
    String etag = ApiRig.field(made, "etag");
    for (String[] write :
        new String[][] {
          {"PUT", "/users/ann", "{'tier':'free'}"},
          {"PUT", "/users/ann/tier", "'free'"},
          {"DELETE", "/users/ann/tier", null},
          {"DELETE", "/users/ann", null},
        }) {
      String target = write[1] + "?dry-run";
      String shown = write[0] + ' ' + target;
      HttpResponse<String> good = send(write[0], target, write[2], "If-Match", etag);
      assertTrue(good.statusCode() / 100 == 2, shown + good.body());
      HttpResponse<String> stale = send(write[0], target, write[2], "If-Match", "\"9-00000001\"");
      assertEquals(412, stale.statusCode(), shown + stale.body());
    }
    HttpResponse<String> bad =
        send("PUT", "/users/ann?dry-run", "{'tier':'gold'}", "If-Match", etag);
    assertEquals(422, bad.statusCode(), bad.body());
    String lines =
        "{\"id\":\"ann\",\"record\":null,\"if-match\":\"9-00000001\"}\n{\"id\":\"bob\",\"record\":{}}";
    HttpResponse<String> batch =
        rig.send(
            ApiRig.ADMIN,
            "POST",
            "/users:batch?dry-run",
            lines,
            "Content-Type",
            "application/x-ndjson");
    assertTrue(batch.body().contains("\"status\":412"), batch.body());
    assertTrue(batch.body().contains("\"line\":2,\"id\":\"bob\",\"status\":200"), batch.body());
    HttpResponse<String> still = send("GET", "/users/ann", null);
    assertEquals(etag, ApiRig.field(still, "etag"));
    assertEquals(404, send("GET", "/users/bob", null).statusCode());
  }

  @Test
  void anOverrideIsPostedWithoutHavingReadTheUser() throws Exception {
    create("ann", "{'tier':'free'}");
    String override = "{'until':'2026-11-25T00:00:00Z','reason':'launch','factor':2}";
    assertEquals(201, send("POST", "/users/ann/override", override).statusCode());
    assertEquals(200, send("POST", "/users/ann/override", override).statusCode());
    assertEquals("{'tier':'free','override':" + override + "}", kept("ann"));
    HttpResponse<String> got = send("GET", "/users/ann/override", null);
    assertEquals(200, got.statusCode());
    assertEquals(
        200, send("DELETE", "/users/ann/override", null, "If-Match", etag(got)).statusCode());
    assertEquals("{'tier':'free'}", kept("ann"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '`',
      value = {
        "PUT#/users/ann#{'tier':'gold'}#/tier: gold | a tier of the rules: free, premium",
        "PUT#/users/ann#{'limits':{'rps':'1/1s'}}#/limits/rps: rps"
            + " | a limit of the rules that users may have: rpm, running",
        "PUT#/users/ann#{'limits':{'rpm':'1/1s'}}#/limits/rpm: 1/1s"
            + " | a rate per 1m as the limit has it, or unlimited",
        "PUT#/users/ann#{'limits':{'running':'1/1s'}}#/limits/running: 1/1s"
            + " | a number of requests at a time, or unlimited",
        "PUT#/users/ann#{'colour':'red'}#/colour: unknown | tier, limits or override",
        "PUT#/users/ann/tier#'gold'#: gold | a tier of the rules: free, premium",
        "PUT#/users/ann/tier#null#: null | a value; DELETE removes the part",
        "PUT#/users/ann/limits/rpm#'much'#: much"
            + " | a rate such as 600/1m, a number at a time such as 20, or unlimited",
        "PUT#/users/ann/limits/rps#'1/1s'#: rps"
            + " | a limit of the rules that users may have: rpm, running",
        "POST#/users/ann/override#{'until':'2026-11-24T11:59:59Z','reason':'x','tier':'gold'}#"
            + "/until: 2026-11-24T11:59:59Z"
            + " | a time after 2026-11-24T12:00:00Z, and not after 2027-11-25T12:00:00Z",
        "POST#/users/ann/override#{'until':'2026-11-24T13:00:00Z','reason':'x','tier':'gold'}#"
            + "/tier: gold | a tier of the rules: free, premium",
        "POST#/users/ann/ban#{'for':'2y'}#/for: 2y"
            + " | a duration such as 500ms, 10s, 5m, 1h or 1d",
        "POST#/users/ann/ban#{'for':'366d'}#/for: 366d | at most 365d",
        "POST#/users/ann/ban#{}#/for: missing | a duration such as 500ms, 10s, 5m, 1h or 1d",
        "POST#/users/ann/reset#{'limit':'rps'}#/limit: rps | a limit of users: rpm, running",
        "POST#/users/ann/reset#{'limits':'rpm'}#/limits: unknown | limit",
      })
  void whatTheRulesCannotTakeIsRefusedByPlace(
      String method, String target, String body, String error) throws Exception {
    HttpResponse<String> answer =
        method.equals("PUT")
            ? send(method, target, body, "If-None-Match", "*")
            : send(method, target, body);
    assertEquals(422, answer.statusCode(), answer.body());
    assertEquals(error, errors(answer));
    assertEquals("none", kept("ann"));
    assertEquals(List.of(), audit());
    assertEquals(List.of(), acts);
  }

  @Test
  void whatTheRulesDoNotKnowAnyMoreMayStayAndWhatANewerVersionWroteDoes() throws Exception {
    store.writeUser(
        new RecordWrite(
            new RecordName(RecordName.Kind.USER, "ann"),
            null,
            "{\"tier\":\"gold\",\"limits\":{\"old\":\"1/1s\"},\"colour\":\"red\"}"),
        AUTHOR);
    HttpResponse<String> read = send("GET", "/users/ann", null);
    HttpResponse<String> written =
        send("PUT", "/users/ann/limits/rpm", "'90/1m'", "If-Match", etag(read));
    assertEquals(201, written.statusCode(), written.body());
    assertEquals(
        "{'tier':'gold','limits':{'old':'1/1s','rpm':'90/1m'},'colour':'red'}", kept("ann"));
    HttpResponse<String> whole =
        send(
            "PUT",
            "/users/ann",
            "{'tier':'gold','limits':{'old':'1/1s'}}",
            "If-Match",
            etag(written));
    assertEquals(200, whole.statusCode(), whole.body());
  }

  @Test
  void anOverrideThatHasEndedMayStayAndNoneMayBeWritten() throws Exception {
    String ended = "{'override':{'until':'2026-11-24T11:00:00Z','reason':'x','tier':'premium'}}";
    store.writeUser(
        new RecordWrite(
            new RecordName(RecordName.Kind.USER, "ann"), null, ended.replace('\'', '"')),
        AUTHOR);
    String etag = etag(send("GET", "/users/ann", null));
    String with = "{'tier':'free'," + ended.substring(1);
    HttpResponse<String> kept = send("PUT", "/users/ann", with, "If-Match", etag);
    assertEquals(200, kept.statusCode(), kept.body());
    String other = with.replace("T11", "T10");
    assertEquals(422, send("PUT", "/users/ann", other, "If-Match", etag(kept)).statusCode());
    assertEquals(422, send("PUT", "/users/bob", ended, "If-None-Match", "*").statusCode());
  }

  @Test
  void usersAreListedByTierAndByWhatTheyHave() throws Exception {
    create("ann", "{'tier':'premium'}");
    create("bob", "{'limits':{'rpm':'90/1m'}}");
    String until = "'until':'2026-11-24T13:00:00Z','reason':'x'";
    create("cid", "{'tier':'free','override':{" + until + ",'factor':2}}");
    assertEquals("ann bob cid", listed(""));
    assertEquals("ann", listed("?tier=premium"));
    assertEquals("bob", listed("?has=limits"));
    assertEquals("cid", listed("?has=override&tier=free"));
    assertEquals("", listed("?has=override&tier=premium"));
    assertEquals(400, send("GET", "/users?has=luck", null).statusCode());
    assertEquals(400, send("GET", "/users?most=1001", null).statusCode());
    List<String> found = new ArrayList<>();
    Object after = null;
    do {
      Map<?, ?> page =
          json(send("GET", "/users?most=1" + (after == null ? "" : "&after=" + after), null));
      found.add(ids(page));
      after = page.get("next");
    } while (after != null);
    found.removeIf(String::isEmpty);
    assertEquals(List.of("ann", "bob", "cid"), found.stream().sorted().toList());
  }

  private String listed(String query) throws Exception {
    HttpResponse<String> answer = send("GET", "/users" + query, null);
    assertEquals(200, answer.statusCode(), answer.body());
    return ids(json(answer));
  }

  private static String ids(Map<?, ?> page) {
    return ((List<?>) page.get("users"))
        .stream()
            .map(user -> (String) ((Map<?, ?>) user).get("id"))
            .sorted()
            .collect(Collectors.joining(" "));
  }

  @Test
  void aViewerSeesNoIdentity() throws Exception {
    create("zoe@example.com", "{'tier':'premium'}");
    for (String target :
        List.of("/users", "/users/zoe%40example.com", "/users/zoe%40example.com/limits")) {
      HttpResponse<String> answer = rig.get(ApiRig.VIEWER, target);
      assertEquals(200, answer.statusCode(), answer.body());
      assertFalse(answer.body().contains("zoe"), answer.body());
      assertTrue(answer.body().contains("hidden:"), answer.body());
    }
    assertEquals(403, rig.send(ApiRig.VIEWER, "POST", "/users/ann/reset", null).statusCode());
    assertEquals(403, batch(ApiRig.EDITOR, "{}").statusCode());
  }

  private HttpResponse<String> batch(String token, String lines) throws Exception {
    return rig.send(
        token,
        "POST",
        "/users:batch",
        lines.replace('\'', '"'),
        "Content-Type",
        "application/x-ndjson");
  }

  @Test
  void aBatchHasAResultForEachLineAndAFaultStopsNoOther() throws Exception {
    String stale = etag(create("old", "{}")).replace("\"", "");
    create("gone", "{}");
    HttpResponse<String> answer =
        batch(
            ApiRig.ADMIN,
            "{'id':'ann','record':{'tier':'premium'}}\n"
                + "{'id':'bob','record':{'tier':'gold','limits':{'rpm':'0/1m'}}}\n"
                + "nonsense\n"
                + "{'id':'ann','record':{}}\n"
                + "{'id':'gone','record':null}\n"
                + "{'id':'old','record':{},'if-match':'7-00000000'}\n"
                + "{'id':'old2','record':{},'if-match':'x'}\n"
                + "{'id':'','record':{}}\n"
                + "{'id':'a\\u001b[2J\\r\\nb','record':{}}\n"
                + "{'id':'cid'}\n"
                + "{'id':'cid','record':{},'more':1}\n"
                + "{'id':'late','record':{'override':{'until':'2026-01-01T00:00:00Z',"
                + "'reason':'x','tier':'free'}}}\n"
                + "{'id':'long','record':{'override':{'until':'2029-01-01T00:00:00Z',"
                + "'reason':'x','tier':'free'}}}\n");
    assertEquals(200, answer.statusCode(), answer.body());
    List<String> lines = answer.body().lines().toList();
    assertEquals(13, lines.size());
    List<String> told = new ArrayList<>();
    for (String line : lines) {
      Map<?, ?> result = (Map<?, ?>) JsonText.read(line, 10_000);
      Object errors = result.get("errors");
      told.add(
          result.get("line")
              + " "
              + result.get("id")
              + " "
              + result.get("status")
              + (errors == null
                  ? ""
                  : " " + ((Map<?, ?>) ((List<?>) errors).get(0)).get("pointer")));
    }
    assertEquals(
        List.of(
            "1 ann 200",
            "2 bob 422 /record/limits/rpm",
            "3 null 422 ",
            "4 null 422 /id",
            "5 gone 204",
            "6 old 412",
            "7 old2 422 /if-match",
            "8 null 422 /id",
            "9 null 422 /id",
            "10 null 422 /record",
            "11 null 422 /more",
            "12 late 200",
            "13 long 422 /record/override/until"),
        told);
    assertEquals("{'tier':'premium'}", kept("ann"));
    assertEquals("none", kept("gone"));
    assertEquals(stale, store.user("old").orElseThrow().version().toString());
  }

  @Test
  void aBatchIsChargedByItsLines() throws Exception {
    String lines =
        IntStream.range(0, 10_000)
            .mapToObj(i -> "{'id':'u" + i + "','record':{}}")
            .collect(Collectors.joining("\n"));
    HttpResponse<String> first = batch(ApiRig.ADMIN, lines);
    assertEquals(200, first.statusCode(), first.body());
    assertEquals(10_000, first.body().lines().count());
    HttpResponse<String> second = ApiRig.answer(() -> batch(ApiRig.ADMIN, lines));
    assertEquals(429, second.statusCode(), "100 writes are spent");
    assertEquals(204, send("POST", "/users/ann/reset", null).statusCode(), "of another caller");
  }

  @Test
  void moreLinesThanABatchMayHaveAreRefusedWhole() throws Exception {
    assertEquals(422, batch(ApiRig.ADMIN, "\n".repeat(10_001)).statusCode());
  }

  @Test
  void limitsAreToldByNameWithWhoSaidSoAndWhatIsUsed() throws Exception {
    HttpResponse<String> answer = send("GET", "/users/ann/limits", null);
    assertEquals(
        "{'id':'ann','limits':["
            + "{'name':'rpm','rule':'chat','limit':'60/1m','said_by':'tier','mode':'exact',"
            + "'used':6,'held':4,'left':50,'reset_after_seconds':1.5,'banned_for_seconds':2.0},"
            + "{'name':'daily','rule':'chat','limit':'unlimited','said_by':'user',"
            + "'mode':'local'}]}\n",
        answer.body().replace('"', '\''));
  }

  @Test
  void actsAreNotedInTheAuditAndDone() throws Exception {
    assertEquals(204, send("POST", "/users/ann/ban?reason=bot", "{'for':'1h'}").statusCode());
    assertEquals(204, send("DELETE", "/users/ann/ban", null).statusCode());
    assertEquals(204, send("POST", "/users/ann/reset", null).statusCode());
    HttpResponse<String> half = send("POST", "/users/ann/reset", "{'limit':'rpm'}");
    assertEquals(503, half.statusCode());
    assertTrue(half.body().contains("chat: store away"), half.body());
    assertEquals(List.of("ban ann PT1H", "ban ann PT0S", "reset ann null", "reset ann rpm"), acts);
    assertEquals(
        List.of("eddy reset ann", "eddy reset ann", "eddy unban ann", "eddy ban ann"), audit());
    assertEquals(
        List.of("rpm", "", "", "1h: bot"),
        store.audit(new AuditQuery(null, null, null, null, null, 100)).entries().stream()
            .map(entry -> entry.author().reason())
            .toList());
  }

  @Test
  void withoutRecordsUsersOrBansNothingIsDone() throws Exception {
    rules = rules("rules: [{id: chat, match: {path: /**}, limit: 1/1s}]");
    assertEquals(409, send("POST", "/users/ann/ban", "{'for':'1h'}").statusCode());
    assertEquals(409, send("POST", "/users/ann/reset", null).statusCode());
    assertEquals(409, send("GET", "/users/ann/limits", null).statusCode());
    rules = rules(RULES.replace("    ban: {after: 50/1m, for: [1m]}\n", ""));
    assertEquals(409, send("DELETE", "/users/ann/ban", null).statusCode());
    assertEquals(List.of(), audit());
    rig.close();
    rules = rules(RULES);
    serve(null);
    assertEquals(409, send("GET", "/users", null).statusCode());
    assertEquals(200, send("GET", "/users/ann/limits", null).statusCode());
    assertEquals(409, send("POST", "/users/ann/reset", null).statusCode());
    assertEquals(409, send("PUT", "/users/ann", "{}", "If-None-Match", "*").statusCode());
    assertEquals(409, batch(ApiRig.ADMIN, "").statusCode());
    assertEquals(List.of(), acts);
  }

  @Test
  void anIdWithControlCharactersIsRefusedAndAddsNoLineAnywhere() throws Exception {
    try (LogLines log = new LogLines()) {
      for (String id : List.of("a%0AERROR%20forged", "a%1B%5B2J", "a%0D%0Ab", "a%C2%85b")) {
        for (String[] act :
            new String[][] {
              {"PUT", "", "{'tier':'premium'}"}, {"GET", "", null}, {"POST", "/reset", null}
            }) {
          HttpResponse<String> refused =
              send(act[0], "/users/" + id + act[1], act[2], "If-None-Match", "*");
          assertEquals(400, refused.statusCode(), refused.body());
          assertTrue(refused.body().strip().chars().noneMatch(Character::isISOControl));
        }
      }
      assertEquals("", log.toString());
    }
    assertEquals(List.of(), audit());
    assertEquals(List.of(), acts);
  }
}
