package dev.weir.proxy.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordFault;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.StaleRecordException;
import dev.weir.proxy.web.Page;
import dev.weir.proxy.web.Role;
import dev.weir.scripts.server.Await;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The frame of the API, over sockets, with routes of its own. */
@Timeout(60)
class ApiTest {
  private static final RecordVersion PRESENT = new RecordVersion(17, 0x9f3a21bc);

  @TempDir private Path folder;

  private final Semaphore held = new Semaphore(0);
  private final CountDownLatch holding = new CountDownLatch(1);
  private final AtomicInteger answered = new AtomicInteger();
  private final CompletableFuture<Page> late = new CompletableFuture<>();
  private ApiRig rig;

  private final List<ApiRoute> routes =
      List.of(
          ApiRoute.of(HttpMethod.GET, "/things/{id}", Role.VIEWER, this::show).taking("q"),
          ApiRoute.of(HttpMethod.PUT, "/things/{id}", Role.EDITOR, this::echo)
              .withBody(1_000)
              .taking("dry-run"),
          ApiRoute.of(HttpMethod.DELETE, "/things/{id}", Role.ADMIN, request -> fail(request)),
          ApiRoute.of(HttpMethod.GET, "/people/{id/}", Role.VIEWER, this::show),
          ApiRoute.of(HttpMethod.GET, "/people/{id/}/name", Role.VIEWER, this::show),
          ApiRoute.of(HttpMethod.GET, "/held", Role.VIEWER, this::hold),
          ApiRoute.of(HttpMethod.GET, "/storeless", Role.VIEWER, request -> Answers.noContent())
              .withoutStore(),
          ApiRoute.late(HttpMethod.GET, "/late", Role.VIEWER, this::late).withoutStore(),
          ApiRoute.of(HttpMethod.GET, "/long", Role.VIEWER, this::hold).asLong(),
          ApiRoute.of(HttpMethod.GET, "/old", Role.VIEWER, request -> Answers.json(200, "old"))
              .deprecated(
                  new ApiRoute.Deprecation(
                      Instant.parse("2026-11-24T00:00:00Z"),
                      Instant.parse("2027-06-01T00:00:00Z"))));

  @BeforeEach
  void start() throws Exception {
    rig =
        ApiRig.withTokens(
            folder, routes, "old admin " + ApiRig.sha256("ended-token-0123456") + " 2020-01-31");
  }

  @AfterEach
  void stop() {
    held.release(1_000);
    rig.close();
  }

  private Page show(ApiRequest request) {
    return Answers.json(
        200, Map.of("id", request.path("id"), "shown", request.shown("ann")), PRESENT);
  }

  private Page echo(ApiRequest request) throws ApiProblem, BadRecordException {
    Map<String, Object> json = new java.util.LinkedHashMap<>();
    json.put("by", request.author().name());
    json.put("reason", request.author().reason());
    json.put("expected", request.expected().toString());
    json.put("dry", request.isDryRun());
    json.put("body", JsonText.read(request.body(), 1_000));
    return Answers.json(200, json);
  }

  private static Page fail(ApiRequest request)
      throws ApiProblem, BadRecordException, StaleRecordException, RecordStoreException {
    switch (request.path("id")) {
      case "stale" ->
          throw new StaleRecordException(
              new RecordName(RecordName.Kind.RULE, "a"), PRESENT, "eddy");
      case "gone" ->
          throw new StaleRecordException(
              new RecordName(RecordName.Kind.RULE, "a"), RecordVersion.NONE, "");
      case "away" -> throw new RecordStoreException("redis: does not answer");
      case "bad" ->
          throw new BadRecordException(
              List.of(new RecordFault("/limit", 3, "0/1m", "1 or more per window")));
      default -> throw new IllegalStateException("a bug");
    }
  }

  private Page hold(ApiRequest request) {
    holding.countDown();
    held.acquireUninterruptibly();
    answered.incrementAndGet();
    return Answers.noContent();
  }

  private CompletionStage<Page> late(ApiRequest request) {
    holding.countDown();
    return late;
  }

  private static void assertProblem(int status, String detail, HttpResponse<String> response) {
    assertEquals(status, response.statusCode(), response.body());
    assertEquals("application/problem+json", ApiRig.field(response, "content-type"));
    assertTrue(response.body().contains(detail), response.body());
    assertEquals("", ApiRig.field(response, "access-control-allow-origin"));
    assertEquals("", ApiRig.field(response, "set-cookie"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET | ?x=1 | | 400 | {\"parameter\":\"x\",\"found\":\"unknown\",\"expected\":\"q\"}",
        "PUT | ?dry-run=maybe | If-Match: \"1-00000001\" | 400 | {\"parameter\":\"dry-run\",\"found\":\"maybe\",\"expected\":\"true or false\"}",
        "PUT | | | 428 | {\"field\":\"If-Match\",\"found\":\"missing\",\"expected\":\"the ETag of what",
        "PUT | | If-Match: 1 | 400 | {\"field\":\"If-Match\",\"found\":\"1\",\"expected\":\"one ETag, such as",
        "PUT | | If-Match: \"x\" | 412 | {\"field\":\"If-Match\",\"found\":\"\\\"x\\\"\",\"expected\":\"an ETag of ours",
        "PUT | | If-None-Match: \"x\" | 400 | {\"field\":\"If-None-Match\",\"found\":\"\\\"x\\\"\",\"expected\":\"* to create\"}",
        "PUT | | Content-Type: text/plain | 415 | {\"field\":\"Content-Type\",\"found\":\"text/plain\",\"expected\":\"application/json\"}",
        "DELETE | | If-Match: \"1-00000001\" | 412 | {\"field\":\"If-Match\",\"found\":\"\\\"1-00000001\\\"\",\"expected\":\"If-Match: \\\"17-9f3a21bc\\\"\"}",
      })
  void tellsTheValueAtFaultAndWhatWasExpected(
      String method, String query, String field, int status, String error) throws Exception {
    List<String> fields =
        field == null
            ? List.of()
            : List.of(
                field.substring(0, field.indexOf(':')), field.substring(field.indexOf(' ') + 1));
    String body = method.equals("PUT") ? "{}" : null;
    HttpResponse<String> answer =
        rig.send(
            ApiRig.ADMIN,
            method,
            "/things/" + (method.equals("DELETE") ? "stale" : "a") + (query == null ? "" : query),
            body,
            fields.toArray(String[]::new));
    assertProblem(status, "\"errors\":[" + error, answer);
  }

  @ParameterizedTest
  @CsvSource({
    "vera, GET, 200",
    "eddy, GET, 200",
    "ada, GET, 200",
    "vera, PUT, 403",
    "eddy, PUT, 200",
    "ada, PUT, 200",
    "vera, DELETE, 403",
    "eddy, DELETE, 403",
    "ada, DELETE, 412",
    ", GET, 401",
    ", DELETE, 401"
  })
  void letsEachRoleDoWhatItMay(String name, String method, int status) throws Exception {
    String token =
        name == null
            ? null
            : Map.of("vera", ApiRig.VIEWER, "eddy", ApiRig.EDITOR, "ada", ApiRig.ADMIN).get(name);
    HttpResponse<String> response =
        rig.send(
            token,
            method,
            "/things/stale",
            method.equals("PUT") ? "1" : null,
            "If-None-Match",
            "*");
    assertEquals(status, response.statusCode(), response.body());
  }

  @Test
  void saysWhichRoleIsMissingAndHowToShowAToken() throws Exception {
    assertProblem(
        403,
        "The token of eddy has the role editor (expected: admin)",
        rig.send(ApiRig.EDITOR, "DELETE", "/things/a", null));
    HttpResponse<String> missing = rig.get(null, "/things/a");
    assertProblem(401, "authorization: missing (expected: Bearer TOKEN)", missing);
    assertEquals("Bearer realm=\"weir\"", ApiRig.field(missing, "www-authenticate"));
    assertProblem(401, "no token that is known", rig.get("guess", "/things/a"));
    assertProblem(
        401,
        "the token of old has ended at 2020-01-31T00:00:00Z",
        rig.get("ended-token-0123456", "/things/a"));
  }

  @Test
  void takesOneTokenOfTheRightSchemeOnly() throws Exception {
    for (String fields :
        List.of(
            "Authorization: " + ApiRig.ADMIN,
            "Authorization: Basic " + ApiRig.ADMIN,
            "Authorization: Bearer",
            "Authorization: Bearer " + ApiRig.ADMIN + "x",
            "Authorization: Bearer " + ApiRig.ADMIN.substring(1),
            "Authorization: Bearer guess\r\nAuthorization: Bearer " + ApiRig.ADMIN,
            "X-Authorization: Bearer " + ApiRig.ADMIN,
            "Cookie: token=" + ApiRig.ADMIN)) {
      String answer =
          rig.raw(
              "GET /api/v1/things/a?q=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                  + fields
                  + "\r\n\r\n");
      assertTrue(answer.startsWith("HTTP/1.1 401 "), fields + answer);
      assertFalse(answer.contains(ApiRig.ADMIN), answer);
    }
    String small =
        ApiRig.request("GET /api/v1/things/a", ApiRig.VIEWER).replace("Bearer", "bearer");
    assertTrue(rig.raw(small).startsWith("HTTP/1.1 200 "));
  }

  @Test
  void stopsReadingTokensOfAnAddressThatFailsTooOften() throws Exception {
    for (int i = 0; i < OwnLimits.FAILED_LOG_INS; i++) {
      assertEquals(401, rig.get("guess" + i, "/things/a").statusCode());
    }
    HttpResponse<String> tooMany = rig.get("guess", "/things/a");
    int guesses = OwnLimits.FAILED_LOG_INS;
    for (; tooMany.statusCode() == 401 && guesses < 40; guesses++) { // one comes back in 3 s
      tooMany = rig.get("guess", "/things/a");
    }
    assertProblem(429, "More than 20 log-ins a minute", tooMany);
    assertEquals("\"log-ins\";q=20;w=60", ApiRig.field(tooMany, "ratelimit-policy"));
    assertTrue(Integer.parseInt(ApiRig.field(tooMany, "retry-after")) >= 1);
    assertEquals(429, rig.get(ApiRig.ADMIN, "/things/a").statusCode(), "not even looked at");
    assertEquals(guesses, rig.api.failedLogIns());
  }

  @Test
  void limitsReadsAndWritesOfEachTokenByItself() throws Exception {
    HttpResponse<String> last = null;
    for (int i = 0; i < OwnLimits.WRITES; i++) {
      last = rig.send(ApiRig.EDITOR, "PUT", "/things/a", "1", "If-None-Match", "*");
      assertEquals(200, last.statusCode());
    }
    assertEquals("\"writes\";q=100;w=60", ApiRig.field(last, "ratelimit-policy"));
    HttpResponse<String> over = last;
    for (int more = 0; over.statusCode() == 200 && more < 100; more++) { // one comes back in 0.6 s
      over = rig.send(ApiRig.EDITOR, "PUT", "/things/a", "1", "If-None-Match", "*");
    }
    assertProblem(429, "More than 100 writes a minute", over);
    assertEquals(
        200, rig.send(ApiRig.ADMIN, "PUT", "/things/a", "1", "If-None-Match", "*").statusCode());
    HttpResponse<String> read = rig.get(ApiRig.EDITOR, "/things/a");
    assertEquals(200, read.statusCode());
    assertTrue(ApiRig.field(read, "ratelimit").startsWith("\"reads\";r=999;t="));
  }

  @Test
  void withoutTokensThisMachineMayLookAndNobodyMayChangeAnything() throws Exception {
    try (ApiRig open = ApiRig.open(routes)) {
      HttpResponse<String> seen = open.get(null, "/things/a");
      assertEquals(200, seen.statusCode());
      assertTrue(seen.body().contains("\"shown\":\"hidden:"), seen.body());
      assertProblem(
          403,
          "There are no admin-tokens, so nobody may do this",
          open.send(null, "PUT", "/things/a", "1", "If-None-Match", "*"));
    }
  }

  @Test
  void hidesIdentitiesFromViewersAlwaysInTheSameWay() throws Exception {
    String hidden = rig.get(ApiRig.VIEWER, "/things/a").body();
    assertTrue(hidden.matches("(?s).*\"shown\":\"hidden:[0-9a-f]{16}\".*"), hidden);
    assertEquals(hidden, rig.get(ApiRig.VIEWER, "/things/a").body());
    assertTrue(rig.get(ApiRig.EDITOR, "/things/a").body().contains("\"shown\":\"ann\""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/things/%2e%2e",
        "/api/v1/things/..",
        "/api/v1/things/.",
        "/api/v1/x/../things/a",
        "/api/v1//things/a",
        "/api/v1/things//",
        "/api/v1/things/",
        "/api/v1/things/a%2fb",
        "/api/v1/things/a%2Fb",
        "/api/v1/things/a%00",
        "/api/v1/things/a%0d%0aSet-Cookie:x",
        "/api/v1/things/%ff",
        "/api/v1/things/%c0%af",
        "/api/v1/things/%zz",
        "/api/v1/things/%",
        "/api/v1/things/a?q=%zz",
        "api/v1/things/a",
        "*"
      })
  void refusesPathsThatOthersMayReadAsAnother(String target) throws Exception {
    String answer = rig.raw(ApiRig.request("GET " + target, ApiRig.ADMIN));
    assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
  }

  @ParameterizedTest
  @CsvSource({
    "/things/auth0%7Cann, auth0|ann",
    "/things/a%20b, a b",
    "/things/%C3%A9, é",
    "/things/a%252fb, a%2fb",
    "/things/..., ...",
    "/things/a+b, a+b"
  })
  void decodesEachSegmentOnce(String target, String id) throws Exception {
    HttpResponse<String> response = rig.get(ApiRig.VIEWER, target);
    assertEquals(id, ((Map<?, ?>) JsonText.read(response.body(), 1_000)).get("id"));
  }

  @ParameterizedTest
  @CsvSource({
    "/people/org%2Fann, org/ann",
    "/people/org%2fann/name, org/ann",
    "/people/%2F, /",
    "/people/..%2F..%2Fthings, ../../things"
  })
  void takesAnEncodedSlashWhereAnIdMayHaveOne(String target, String id) throws Exception {
    HttpResponse<String> response = rig.get(ApiRig.VIEWER, target);
    assertEquals(id, ((Map<?, ?>) JsonText.read(response.body(), 1_000)).get("id"));
    assertProblem(400, "malformed", rig.get(ApiRig.VIEWER, target.replace("people", "things")));
  }

  @Test
  void answersByNamesOfThisMachineOnlyBeforeItLooksAtTokens() throws Exception {
    String evil =
        rig.raw(ApiRig.request("GET /api/v1/things/a", ApiRig.ADMIN).replace("localhost", "evil"));
    assertTrue(evil.startsWith("HTTP/1.1 421 "), evil);
    assertEquals(0, rig.api.failedLogIns());
  }

  @Test
  void tellsWhichMethodsThereAre() throws Exception {
    HttpResponse<String> patch = rig.send(ApiRig.ADMIN, "PATCH", "/things/a", "1");
    assertProblem(405, "allowed", patch);
    assertEquals("GET, HEAD, PUT, DELETE", ApiRig.field(patch, "allow"));
    HttpResponse<String> options =
        rig.send(null, "OPTIONS", "/things/a", null, "Origin", "http://evil.example");
    assertEquals(204, options.statusCode());
    assertEquals("GET, HEAD, PUT, DELETE", ApiRig.field(options, "allow"));
    assertTrue(
        options.headers().map().keySet().stream().noneMatch(name -> name.startsWith("access-")));
    HttpResponse<String> head = rig.send(ApiRig.VIEWER, "HEAD", "/things/a", null);
    assertEquals(200, head.statusCode());
    assertEquals("\"17-9f3a21bc\"", ApiRig.field(head, "etag"));
    assertEquals("", head.body());
    assertProblem(404, "no such page", rig.get(ApiRig.ADMIN, "/none"));
  }

  @ParameterizedTest
  @CsvSource({
    "If-None-Match, *, 200, 0-00000000",
    "If-Match, '\"17-9f3a21bc\"', 200, 17-9f3a21bc",
    "X, x, 428, If-Match: missing",
    "If-Match, 17-9f3a21bc, 400, 'expected: one ETag'",
    "If-Match, '\"1-00000001\", \"2-00000002\"', 400, 'expected: one ETag'",
    "If-Match, *, 400, 'expected: one ETag'",
    "If-Match, 'W/\"17-9f3a21bc\"', 412, expected: an ETag of ours",
    "If-Match, '\"x\"', 412, expected: an ETag of ours",
    "If-Match, '\"0-00000000\"', 200, 0-00000000",
    "If-None-Match, '\"17-9f3a21bc\"', 400, 'expected: * to create'"
  })
  void changesOnlyWhatTheClientHasSeen(String field, String value, int status, String text)
      throws Exception {
    HttpResponse<String> response = rig.send(ApiRig.EDITOR, "PUT", "/things/a", "1", field, value);
    assertEquals(status, response.statusCode(), response.body());
    assertTrue(response.body().contains(text), response.body());
  }

  @Test
  void saysWhoWroteWhatTheClientHasNotSeen() throws Exception {
    HttpResponse<String> stale = rig.send(ApiRig.ADMIN, "DELETE", "/things/stale", null);
    assertProblem(412, "\"etag\":\"17-9f3a21bc\",\"written-by\":\"eddy\"", stale);
    assertEquals("\"17-9f3a21bc\"", ApiRig.field(stale, "etag"));
    HttpResponse<String> gone = rig.send(ApiRig.ADMIN, "DELETE", "/things/gone", null);
    assertProblem(412, "It does not exist", gone);
    assertEquals("", ApiRig.field(gone, "etag"));
  }

  @Test
  void answersFaultsAndAStoreThatIsAwayAsProblems() throws Exception {
    HttpResponse<String> bad = rig.send(ApiRig.ADMIN, "DELETE", "/things/bad", null);
    assertProblem(
        422,
        "\"errors\":[{\"pointer\":\"/limit\",\"line\":3,\"found\":\"0/1m\","
            + "\"expected\":\"1 or more per window\"}]",
        bad);
    assertProblem(
        503, "redis: does not answer", rig.send(ApiRig.ADMIN, "DELETE", "/things/away", null));
    HttpResponse<String> bug = rig.send(ApiRig.ADMIN, "DELETE", "/things/other", null);
    assertProblem(500, "see the log", bug);
    assertFalse(bug.body().contains("a bug"), bug.body());
  }

  @Test
  void refusesOtherMediaTypesAndParametersThatItDoesNotKnow() throws Exception {
    assertProblem(
        415,
        "expected: application/json",
        rig.send(
            ApiRig.EDITOR,
            "PUT",
            "/things/a",
            "1",
            "Content-Type",
            "text/plain",
            "If-None-Match",
            "*"));
    assertProblem(
        400, "parameter x: unknown (expected: q)", rig.get(ApiRig.VIEWER, "/things/a?q=1&x=1"));
    assertProblem(
        400,
        "parameter dry-run: maybe (expected: true or false)",
        rig.send(ApiRig.EDITOR, "PUT", "/things/a?dry-run=maybe", "1", "If-None-Match", "*"));
    assertTrue(
        rig.send(ApiRig.EDITOR, "PUT", "/things/a?dry-run", "1", "If-None-Match", "*")
            .body()
            .contains("\"dry\":true"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{\"a\":1,\"a\":2}; Duplicate field",
        "[1; /0",
        "1e999999999; a number of at most",
        "1 2; text behind the value",
        "EMPTY; nothing"
      })
  void readsJsonStrictly(String body, String found) throws Exception {
    HttpResponse<String> response =
        rig.send(
            ApiRig.EDITOR,
            "PUT",
            "/things/a",
            body.equals("EMPTY") ? "" : body,
            "If-None-Match",
            "*");
    assertEquals(422, response.statusCode(), response.body());
    assertTrue(response.body().contains(found), response.body());
  }

  @Test
  void boundsHowDeepAndHowLongJsonIs() throws Exception {
    for (String body : List.of("[".repeat(400), "9".repeat(400), "\"" + "a".repeat(990) + "\"")) {
      int status =
          rig.send(ApiRig.EDITOR, "PUT", "/things/a", body, "If-None-Match", "*").statusCode();
      assertEquals(body.startsWith("\"") ? 200 : 422, status, body);
    }
    String tooLong = "\"" + "a".repeat(1_000) + "\"";
    assertProblem(
        413,
        "body: too long (expected: at most 1000 bytes)",
        rig.send(ApiRig.EDITOR, "PUT", "/things/a", tooLong, "If-None-Match", "*"));
  }

  @Test
  void readsNoBodyOfWhoMayNotSendIt() throws Exception {
    String head =
        "PUT /api/v1/things/a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer guess\r\n";
    String waiting = rig.raw(head + "Expect: 100-continue\r\nContent-Length: 900\r\n\r\n");
    assertTrue(waiting.startsWith("HTTP/1.1 401 "), waiting);
    String chunked = rig.raw(head + "Transfer-Encoding: chunked\r\n\r\n");
    assertTrue(chunked.startsWith("HTTP/1.1 401 "), chunked);
  }

  @Test
  void keepsReasonsOnOneLine() throws Exception {
    HttpResponse<String> said =
        rig.send(
            ApiRig.EDITOR,
            "PUT",
            "/things/a",
            "1",
            "If-None-Match",
            "*",
            "Weir-Reason",
            "ticket 17");
    assertTrue(said.body().contains("\"by\":\"eddy\",\"reason\":\"ticket 17\""), said.body());
    assertProblem(
        400,
        "(501 characters) (expected: at most 500 characters, on one line)",
        rig.send(
            ApiRig.EDITOR,
            "PUT",
            "/things/a",
            "1",
            "If-None-Match",
            "*",
            "Weir-Reason",
            "a".repeat(501)));
  }

  @Test
  void tellsThatARouteWillEnd() throws Exception {
    HttpResponse<String> old = rig.get(ApiRig.VIEWER, "/old");
    assertEquals("@1795478400", ApiRig.field(old, "deprecation"));
    assertEquals("Tue, 1 Jun 2027 00:00:00 GMT", ApiRig.field(old, "sunset"));
    assertEquals("", ApiRig.field(rig.get(ApiRig.VIEWER, "/things/a"), "deprecation"));
  }

  @Test
  void answersOthersWhileTheRecordStoreIsSlowAndDropsWhatNobodyWaitsFor() throws Exception {
    byte[] held =
        ApiRig.request("GET /api/v1/held", ApiRig.VIEWER).getBytes(StandardCharsets.UTF_8);
    List<Socket> gone = new ArrayList<>();
    try (Socket first = rig.connect()) {
      first.getOutputStream().write(held);
      holding.await();
      for (int i = 0; i < 20; i++) {
        Socket socket = rig.connect();
        gone.add(socket);
        socket.getOutputStream().write(held);
      }
      String page = rig.raw("GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      assertTrue(page.endsWith("ok\n"), page);
      for (Socket socket : gone) {
        socket.close();
      }
      // The server has seen that they left once it answers who came later.
      rig.raw("GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      this.held.release(1_000);
      assertTrue(
          new String(first.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
              .startsWith("HTTP/1.1 204 "));
      assertEquals(200, rig.get(ApiRig.VIEWER, "/things/a").statusCode());
      assertEquals(1, answered.get(), "of those that wait");
    } finally {
      for (Socket socket : gone) {
        socket.close();
      }
    }
  }

  @Test
  void answersWhatNeedsNoStoreWhileTheStoreIsAwaited() throws Exception {
    try (Socket waiting = rig.connect()) {
      waiting
          .getOutputStream()
          .write(
              ApiRig.request("GET /api/v1/held", ApiRig.VIEWER).getBytes(StandardCharsets.UTF_8));
      holding.await();
      assertEquals(204, rig.get(ApiRig.VIEWER, "/storeless").statusCode());
      assertEquals(0, waiting.getInputStream().available());
    }
  }

  @Test
  void cancelsALateAnswerWhoseClientHasLeftAndLogsNothing() throws Exception {
    try (LogLines log = new LogLines()) {
      try (Socket leaving = rig.connect()) {
        leaving
            .getOutputStream()
            .write(
                ApiRig.request("GET /api/v1/late", ApiRig.VIEWER).getBytes(StandardCharsets.UTF_8));
        holding.await();
      }
      Await.until("the end of the answer", late::isCancelled);
      assertEquals(200, rig.get(ApiRig.VIEWER, "/things/a").statusCode());
      assertFalse(log.toString().contains("failed"), log.toString());
    }
  }

  @Test
  void answersOthersWhileABatchIsLongAndKeepsFewOfThem() throws Exception {
    byte[] request =
        ApiRig.request("GET /api/v1/long", ApiRig.VIEWER).getBytes(StandardCharsets.UTF_8);
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < ApiThread.MAX_QUEUED_LONG + 2; i++) {
        Socket socket = rig.connect();
        sockets.add(socket);
        socket.getOutputStream().write(request);
        if (i == 0) {
          holding.await(); // the others wait behind it, but one for which there is no room
        }
      }
      assertEquals(200, rig.get(ApiRig.VIEWER, "/things/a").statusCode());
      Await.until("an answer to one of them", () -> answered(sockets) != null);
      String refused =
          new String(answered(sockets).getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(refused.startsWith("HTTP/1.1 503 "), refused);
    } finally {
      held.release(1_000);
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  /** The first of some connections on which there is an answer; null if there is none. */
  private static Socket answered(List<Socket> sockets) {
    for (Socket socket : sockets) {
      try {
        if (socket.getInputStream().available() > 0) {
          return socket;
        }
      } catch (IOException broken) {
        throw new UncheckedIOException(broken);
      }
    }
    return null;
  }
}
