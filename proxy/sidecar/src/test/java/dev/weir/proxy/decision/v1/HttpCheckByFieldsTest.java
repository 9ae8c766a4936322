package dev.weir.proxy.decision.v1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.downstream.answer.AnswerSettings;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.DecisionObserver;
import dev.weir.proxy.rule.spec.Mode;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What proxies are answered that ask about their requests. */
class HttpCheckByFieldsTest {
  private static final String CHECK = "GET /v1/check";
  private static final String ANN = "X-User-Id: ann";

  private static final DecisionObserver NOBODY =
      new DecisionObserver() {
        @Override
        public void callStarted(DecisionCall what) {}

        @Override
        public void callEnded(DecisionCall what, int grpcStatus) {}
      };

  private HttpCheckRig rig;

  @AfterEach
  void close() {
    rig.close();
  }

  private void start(Mode mode, boolean trusted) {
    rig =
        new HttpCheckRig(
            mode,
            trusted,
            admission ->
                new RateLimiterLoop(admission, new LoopClock(), NOBODY)
                    .endpoints(new AnswerSettings(true, false)));
  }

  private void start() {
    start(Mode.LOCAL, true);
  }

  private static String status(String answer) {
    return answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length());
  }

  private String forwarded(String method, String uri) {
    return rig.ask(CHECK, "", "X-Forwarded-Method: " + method, "X-Forwarded-Uri: " + uri, ANN);
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void decidesAsForTheRequestItself(Mode mode) {
    start(mode, true);
    String first = forwarded("POST", "/orders/7?a=b");
    assertEquals("200", status(first));
    assertTrue(first.contains("\r\nratelimit: \"orders\";r=1;t="), first);
    assertTrue(first.contains("\r\nratelimit-policy: \"orders\";q=2;w=31536000\r\n"), first);
    assertTrue(first.contains("\r\nContent-Length: 0\r\n"), first);
    assertEquals("200", status(forwarded("POST", "/orders/8")));
    String refused = forwarded("POST", "/orders/9");
    assertEquals("429", status(refused));
    assertTrue(refused.contains("\r\nretry-after: "), refused);
    assertTrue(refused.contains("\r\nratelimit: \"orders\";r=0;t="), refused);
    assertTrue(refused.contains("\r\ncontent-type: application/problem+json\r\n"), refused);
    assertTrue(refused.contains("\"reason\":\"over_limit\""), refused);
  }

  @Test
  void ruleGoesByTheMethodAndThePathOfTheRequest() {
    start();
    for (int i = 0; i < 5; i++) {
      assertEquals("200", status(forwarded("GET", "/orders/1")));
      assertEquals("200", status(forwarded("POST", "/other")));
    }
    assertEquals("200", status(forwarded("POST", "/orders/1")));
    assertEquals("200", status(forwarded("POST", "/x/../%6frders//2")));
    assertEquals("429", status(forwarded("POST", "/orders/3")));
  }

  @Test
  void takesTheFieldsOfNginxToo() {
    start();
    for (String expected : List.of("200", "200", "429")) {
      assertEquals(
          expected,
          status(rig.ask(CHECK, "", "X-Original-URI: /orders/1", "X-Original-Method: POST", ANN)));
    }
  }

  @Test
  void takesMethodAndPathOfTheCheckBehindAPrefix() {
    start();
    for (String expected : List.of("200", "200", "429")) {
      // What the client says in the fields of others is nothing here.
      String answer = rig.ask("POST /v1/check/orders/1?a", "", "X-Forwarded-Uri: /other", ANN);
      assertEquals(expected, status(answer), answer);
    }
    assertEquals("200", status(rig.ask("GET /v1/check/orders/1", "", ANN)));
    assertEquals("404", status(rig.ask("GET /v1/checks", "", ANN)));
  }

  /** A client's path must not say which endpoint is asked, nor hide what stands before it. */
  @Test
  void targetThatClimbsAboveThePrefixIsRefused() {
    start();
    String body = "{\"identifier\":\"eve\",\"dimension\":\"USER\",\"endpoint\":\"/free\"}";
    for (String path :
        List.of(
            "/../check/orders/1",
            "/..",
            "/../check",
            "/../../healthcheck",
            "/x/../../check/orders/1",
            "/%2e%2e/check/orders/1",
            "//../check/orders/1",
            "/./../../v1/check/orders/1",
            "/../../../v1/check/orders/1",
            "/orders/../../check?a=b")) {
      String answer = rig.ask("POST /v1/check" + path, body, "Content-Type: application/json", ANN);
      assertEquals("400", status(answer), path + " " + answer);
      assertTrue(answer.contains("\"detail\":\"path: /v1/check/"), answer);
    }
    for (String same : List.of("/x/../orders/1", "//orders/./2")) {
      assertEquals("200", status(rig.ask("POST /v1/check" + same, "", ANN)));
    }
    assertEquals("429", status(rig.ask("POST /v1/check/%6frders/3", "", ANN)), "as /orders/3");
  }

  @Test
  void endpointIsFoundByNoOtherSpelling() {
    start();
    for (String path : List.of("/v1//check", "/v1/./check", "/x/../v1/check", "/v1/%63heck")) {
      String answer =
          rig.ask("GET " + path, "", "X-Forwarded-Method: POST", "X-Forwarded-Uri: /orders/1", ANN);
      assertEquals("404", status(answer), path);
    }
    assertTrue(forwarded("POST", "/orders/1").contains("r=1"), "nothing was charged");
  }

  /** What the client's request says of its content is in the check too. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/grpc",
        "application/grpc+proto",
        "application/grpc-web",
        "application/grpc-web-text",
        "Application/gRPC; a=b"
      })
  void nothingThatDoesNotPassLooksAsIfItHadToACallOfGrpc(String contentType) {
    start();
    String type = "Content-Type: " + contentType;
    assertEquals("200", status(rig.ask("POST /v1/check/orders/1", "x", type, ANN)));
    assertEquals("200", status(rig.ask("POST /v1/check/orders/2", "x", type, ANN)));
    for (String[] refused :
        new String[][] {
          {"429", "/v1/check/orders/3", ANN},
          {"401", "/v1/check/orders/3", "X-Other: 1"},
          {"400", "/v1/check/orders%2F3", ANN},
          {"400", "/v1/check/../check/orders/3", ANN},
          {"404", "/v1/checks/orders/3", ANN},
          {"404", "/v1/check%2e", ANN},
          {"417", "/v1/check/free", "Expect: more"}
        }) {
      String answer = rig.ask("POST " + refused[1], "x", type, refused[2]);
      assertEquals(refused[0], status(answer), refused[1] + " " + answer);
    }
    close();
    start();
    assertEquals("413", status(rig.ask("POST /v1/check/free", "x".repeat(65_537), type)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/grpc",
        "application/grpc+proto",
        "application/grpc-web",
        "text/plain"
      })
  void nothingThatDoesNotPassHasTheStatus200OverHttp2(String contentType) {
    start();
    rig.rig.client.startAsClient().send();
    String type = "content-type: " + contentType;
    assertEquals("200", overHttp2(1, "/v1/check/orders/1", type, "x-user-id: ann"));
    assertEquals("200", overHttp2(3, "/v1/check/orders/2", type, "x-user-id: ann"));
    int stream = 5;
    for (String[] refused :
        new String[][] {
          {"429", "/v1/check/orders/3", "x-user-id: ann"},
          {"429", "/v1/check/orders/3?a=b", "x-user-id: ann"},
          {"429", "/v1/check/orders/3", "x-user-id: ann", "grpc-timeout: 0S"},
          {"429", "/v1/check/orders/3", "x-user-id: ann", "grpc-encoding: gzip"},
          {"401", "/v1/check/orders/3"},
          {"400", "/v1/check/../check/orders/3", "x-user-id: ann"},
          {"400", "/v1/check/orders%2F3", "x-user-id: ann"},
          {"415", "/v1/check", "x-user-id: ann"},
          {"415", "/v1/check?a=b", "x-user-id: ann"},
          {"404", "/v1/check%2F", "x-user-id: ann"},
          {"404", "/v1/checks", "x-user-id: ann"},
          {"417", "/v1/check/orders/3", "expect: more"},
          {"414", "/v1/check/" + "x".repeat(9_000)}
        }) {
      String[] fields = Arrays.copyOfRange(refused, 2, refused.length + 1);
      fields[fields.length - 1] = type;
      assertEquals(refused[0], overHttp2(stream, refused[1], fields), refused[1]);
      stream += 2;
    }
    String[] many = new String[101];
    Arrays.fill(many, "a: b");
    many[0] = type;
    assertEquals("431", overHttp2(stream, "/v1/check/orders/3", many));
  }

  /** The status of a POST. */
  private String overHttp2(int stream, String path, String... fields) {
    rig.rig.client.request(stream, false, "POST", path, fields).data(stream, true, "x").send();
    String head = "HEADERS " + stream + " :status: ";
    return rig.rig.client.received().stream()
        .filter(frame -> frame.startsWith(head))
        .findFirst()
        .map(frame -> frame.substring(head.length(), head.length() + 3))
        .orElse("none");
  }

  @Test
  void whoIsNotTrustedIsNotAnsweredAndNothingIsCharged() {
    start(Mode.LOCAL, false);
    String answer = forwarded("POST", "/orders/1");
    assertEquals("403", status(answer));
    assertTrue(
        answer.endsWith("\"detail\":\"peer: 127.0.0.1 (expected: one of trusted-proxies)\"}\n"),
        answer);
    assertEquals("403", status(rig.ask("POST /v1/check/orders/1", "", ANN)));
  }

  @Test
  void missingIdentityIsWhatTheRuleSays() {
    start();
    String answer = rig.ask(CHECK, "", "X-Forwarded-Method: POST", "X-Forwarded-Uri: /orders/1");
    assertEquals("401", status(answer));
    assertTrue(answer.contains("\r\nwww-authenticate: "), answer);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // A client's own field beside the proxy's: nobody knows which is whose.
        "X-Forwarded-Uri: /orders/1, X-Forwarded-Uri: /free, X-Forwarded-Method: POST"
            + "|x-forwarded-uri: more than one (expected: one)",
        "X-Forwarded-Uri: /orders/1, X-Forwarded-Method: POST, X-Forwarded-Method: GET"
            + "|x-forwarded-method: more than one (expected: one)",
        "X-Forwarded-Uri: /free, X-Forwarded-Method: POST, X-Original-URI: /orders/1,"
            + " X-Original-Method: POST"
            + "|x-original-uri: /orders/1 (expected: what x-forwarded-uri says, or only one pair)",
        "X-Forwarded-Uri: /orders/1, X-Forwarded-Method: GET, X-Original-URI: /orders/1,"
            + " X-Original-Method: POST"
            + "|x-original-method: POST (expected: what x-forwarded-method says, or only one pair)",
        // The method is the proxy's that says the URI.
        "X-Original-URI: /orders/1, X-Forwarded-Method: GET"
            + "|x-original-method: missing (expected: a method, such as GET)",
        "X-Forwarded-Uri: /orders/1|x-forwarded-method: missing (expected: a method, such as GET)",
        "X-Forwarded-Uri: /orders/1, X-Forwarded-Method: P(|x-forwarded-method: P( (expected: a"
            + " method, such as GET)",
        "X-Forwarded-Uri: orders, X-Forwarded-Method: GET"
            + "|x-forwarded-uri: orders (expected: the path of a request, such as /orders?a=b)",
        "X-Forwarded-Uri: /a/..;/orders, X-Forwarded-Method: GET"
            + "|x-forwarded-uri: /a/..;/orders (expected: the path of a request, such as"
            + " /orders?a=b)",
        "X-Original-URI: /a?\"#, X-Original-Method: GET"
            + "|x-original-uri: /a?\\\"# (expected: the path of a request, such as /orders?a=b)",
        "X-Forwarded-Uri: /a, X-Forwarded-Method: GET, X-Forwarded-Host: a b"
            + "|x-forwarded-host: a b (expected: one host)",
        "X-Forwarded-Method: GET|x-forwarded-uri: missing (expected: X-Forwarded-Uri and"
            + " X-Forwarded-Method, or X-Original-URI and X-Original-Method)",
      })
  void saysWhichFieldCannotBeUsedAndChargesNothing(String fields, String detail) {
    start();
    String[] lines = (fields + ", " + ANN).split(", ");
    for (int i = 0; i < 3; i++) {
      String answer = rig.ask(CHECK, "", lines);
      assertEquals("400", status(answer), answer);
      assertTrue(answer.endsWith("\"detail\":\"" + detail + "\"}\n"), answer);
    }
    assertTrue(forwarded("POST", "/orders/1").contains("r=1"));
  }

  @Test
  void longValueIsCut() {
    start();
    String answer = forwarded("POST", "x".repeat(5_000));
    assertTrue(answer.contains(" " + "x".repeat(100) + "... (5000 bytes) (expected: "), answer);
  }

  private void sendOrder() {
    rig.send(CHECK, "", "X-Forwarded-Method: POST", "X-Forwarded-Uri: /orders/1", ANN);
  }

  @Test
  void storeThatDoesNotDecideIsUnavailable() {
    start(Mode.EXACT, true);
    sendOrder();
    rig.server.lose(false);
    assertEquals("503", status(rig.written()));
  }

  @Test
  void whoLeavesWhileTheStoreIsAskedIsForgottenAndStaysCharged() {
    start(Mode.EXACT, true);
    sendOrder();
    assertEquals(1, rig.server.pendingCount());
    rig.rig.channel.close();
    assertEquals(List.of("HTTP_AUTH 1"), rig.rig.ends);
    rig.server.answer();
    assertEquals("", rig.written());
    assertEquals(1, rig.server.charges().values().iterator().next());
  }
}
