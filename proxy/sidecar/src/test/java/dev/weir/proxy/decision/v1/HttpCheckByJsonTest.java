package dev.weir.proxy.decision.v1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.downstream.answer.AnswerSettings;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.DecisionObserver;
import dev.weir.proxy.rule.spec.Mode;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Checks by a body of JSON. */
class HttpCheckByJsonTest {
  private static final String JSON = "Content-Type: application/json";
  private static final String ORDER =
      "{\"identifier\":\"ann\",\"dimension\":\"USER\",\"endpoint\":\"/orders/1\",\"method\":\"POST\"";

  private HttpCheckRig rig;
  private int toldTimes;

  @AfterEach
  void close() {
    rig.close();
  }

  private void start(Mode mode) {
    DecisionObserver observer =
        new DecisionObserver() {
          @Override
          public void callStarted(DecisionCall what) {}

          @Override
          public void callEnded(DecisionCall what, int grpcStatus) {}

          @Override
          public void clientTime(long seconds, int nanos, long nowNs) {
            assertEquals(1_795_334_400, seconds);
            assertEquals(500_000_000, nanos);
            toldTimes++;
          }
        };
    rig =
        new HttpCheckRig(
            mode,
            false,
            admission ->
                List.of(
                    new HttpCheckByJson(
                        new RateLimiterLoop(admission, new LoopClock(() -> 1), observer),
                        new AnswerSettings(true, false))));
  }

  private String post(String body) {
    return rig.ask("POST /v1/check", body, JSON);
  }

  private static String status(String answer) {
    return answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length());
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void decides(Mode mode) {
    start(mode);
    String first = post(ORDER + "}");
    assertEquals("200", status(first), first);
    assertTrue(first.contains("\r\ncontent-type: application/json\r\n"), first);
    assertTrue(first.contains("\r\nratelimit: \"orders\";r=1;t="), first);
    assertTrue(
        first.contains(
            "{\"allowed\":true,\"current_count\":1,\"limit\":2,\"remaining\":1,\"reset_at\":\""),
        first);
    assertTrue(first.endsWith("Z\",\"rule_id\":\"orders\",\"state\":\"NORMAL\"}\n"), first);
    post(ORDER + "}");
    String refused = post(ORDER + "}");
    assertEquals("429", status(refused), refused);
    assertTrue(refused.contains("\r\nretry-after: "), refused);
    assertTrue(refused.contains("{\"allowed\":false,\"current_count\":2,\"limit\":2,"), refused);
    assertTrue(refused.contains(",\"retry_after_seconds\":"), refused);
    assertTrue(refused.contains("s\",\"rule_id\":\"orders\",\"state\":\"THROTTLED\"}"), refused);
  }

  @Test
  void takesEveryField() {
    start(Mode.LOCAL);
    String answer =
        post(
            """
            {"identifier": "10.1.2.3", "dimension": 2, "endpoint": null, "cost": "2",
             "clientTime": "2026-11-22T09:00:00.5+01:00", "ruleId": "orders", "require_rule": true,
             "other_identities": [{"identifier": "ann", "dimensionName": "header:x-user-id"}]}
            """);
    assertEquals("200", status(answer), answer);
    assertTrue(answer.contains("\"remaining\":0,"), answer);
    assertEquals(1, toldTimes);
  }

  @Test
  void whatNoRuleLimitsIsAllowedUnlessARuleIsWanted() {
    start(Mode.LOCAL);
    String other = ORDER.replace("/orders/1", "/other");
    assertTrue(
        post(other + "}")
            .endsWith(
                "{\"allowed\":true,\"current_count\":0,\"limit\":0,\"remaining\":0,"
                    + "\"state\":\"NORMAL\"}\n"));
    assertEquals("404", status(post(other + ",\"require_rule\":true}")));
    assertEquals("404", status(post(other + ",\"rule_id\":\"none\"}")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[]|body: a list (expected: an object)",
        "|body: none (expected: an object)",
        "{} {}|body: an object (expected: nothing behind the object)",
        "{\"cost\":1,\"cost\":2}|body: line 1, column 17: Duplicate field 'cost' (expected: JSON)",
        "{\"key\":1}|key: unknown (expected: identifier, dimension, dimension_name,"
            + " other_identities, endpoint, method, cost, client_time, idempotency_key, rule_id or"
            + " require_rule)",
        "{\"identifier\":1}|identifier: a number (expected: a text)",
        // As a replacement it would be one identity with all others of its kind.
        "{\"identifier\":\"\\ud800\"}|identifier: ? (expected: a text of whole characters)",
        "{\"dimension\":\"TENANT\"}|dimension: TENANT (expected: USER, IP or API_KEY, or"
            + " dimension_name)",
        "{\"cost\":1.5}|cost: 1.5 (expected: a whole number of 64 bits)",
        "{\"cost\":9223372036854775808}|cost: 9223372036854775808 (expected: a whole number of 64"
            + " bits)",
        "{\"rule_id\":\"a\",\"ruleId\":\"b\"}|ruleId: in both spellings (expected: one)",
        "{\"other_identities\":[{\"dimensionName\":\"ip\",\"dimension_name\":\"ip\"}]}"
            + "|other_identities[0].dimension_name: in both spellings (expected: one)",
        "{\"cost\":\"+1\"}|cost: +1 (expected: a whole number of 64 bits)",
        "{\"client_time\":\"now\"}|client_time: now (expected: a time as in"
            + " 2026-11-22T08:00:00.5Z)",
        "{\"require_rule\":\"yes\"}|require_rule: yes (expected: true or false)",
        "{\"other_identities\":{}}|other_identities: an object (expected: a list)",
        "{\"other_identities\":[{\"name\":\"a\"}]}|other_identities[0].name: unknown (expected:"
            + " identifier, dimension or dimension_name)",
        "{\"dimension\":\"USER\",\"endpoint\":\"/\"}|identifier:  (expected: 1 to 1,024 bytes"
            + " without control characters)",
        "{\"identifier\":\"a\\nb\",\"dimension\":\"USER\",\"endpoint\":\"/\"}|identifier: a\\nb"
            + " (expected: 1 to 1,024 bytes without control characters)",
        "{\"identifier\":\"a\",\"dimension\":\"USER\",\"endpoint\":\"/\",\"cost\":-1}|cost: -1"
            + " (expected: 1 to 2^40, or 0 for the rule's)",
        "{\"identifier\":\"1.2.3.4\",\"dimension\":\"IP\",\"endpoint\":\"/orders/1\","
            + "\"method\":\"POST\"}|dimension: missing (expected: all that the key of rule orders is"
            + " made of)",
      })
  void saysWhichFieldCannotBeUsedAndChargesNothing(String body, String detail) {
    start(Mode.LOCAL);
    String answer = post(body == null ? "" : body);
    assertEquals("400", status(answer), answer);
    assertTrue(answer.contains("\r\ncontent-type: application/problem+json\r\n"), answer);
    assertTrue(answer.endsWith("\"detail\":\"" + detail + "\"}\n"), answer);
    assertTrue(post(ORDER + "}").contains("\"remaining\":1,"));
  }

  @Test
  void bodyThatIsNoJsonIsSaidWhere() {
    start(Mode.LOCAL);
    String answer = post("{\"cost\": x}");
    assertEquals("400", status(answer), answer);
    assertTrue(answer.contains("body: line 1, column 10: Unrecognized token 'x'"), answer);
    assertEquals("400", status(post("[".repeat(5_000))));
  }

  @Test
  void takesJsonOnly() {
    start(Mode.LOCAL);
    String untyped = rig.ask("POST /v1/check", ORDER + "}");
    assertEquals("415", status(untyped));
    assertTrue(untyped.contains("content-type: missing (expected: application/json)"), untyped);
    String text = rig.ask("POST /v1/check", ORDER + "}", "Content-Type: text/plain");
    assertEquals("415", status(text));
    assertTrue(text.contains("content-type: text/plain (expected: application/json)"), text);
    assertEquals("415", status(rig.ask("POST /v1/check", ORDER + "}", JSON + "-seq")));
    assertEquals("200", status(rig.ask("POST /v1/check", ORDER + "}", JSON + "; charset=utf-8")));
  }

  @Test
  void storeThatDoesNotDecideIsUnavailable() {
    start(Mode.EXACT);
    rig.send("POST /v1/check", ORDER + "}", JSON);
    rig.server.lose(false);
    String answer = rig.written();
    assertEquals("503", status(answer));
    assertTrue(answer.contains("\"title\":\"Rate Limit Store Unavailable\""), answer);
  }
}
