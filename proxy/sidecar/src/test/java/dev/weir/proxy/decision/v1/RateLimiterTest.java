package dev.weir.proxy.decision.v1;

import static dev.weir.proxy.decision.v1.RateLimiterRig.check;
import static dev.weir.proxy.decision.v1.RateLimiterRig.parsed;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import dev.weir.proxy.decision.grpc.GatheredCalls;
import dev.weir.proxy.decision.grpc.GrpcCall;
import dev.weir.proxy.decision.http.Tokens;
import dev.weir.proxy.metrics.LatencyStep;
import dev.weir.proxy.metrics.LatencySummary;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.CheckRateLimitResponse;
import dev.weir.v1.Dimension;
import dev.weir.v1.GetRemainingQuotaRequest;
import dev.weir.v1.GetRemainingQuotaResponse;
import dev.weir.v1.Quota;
import dev.weir.v1.ResetLimitRequest;
import dev.weir.v1.ResetLimitResponse;
import dev.weir.v1.State;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One check of the decision API, by the messages that generated classes write and read. */
class RateLimiterTest {
  private final RateLimiterRig limiter = new RateLimiterRig();

  @AfterEach
  void close() {
    limiter.close();
  }

  private void assertInvalid(CheckRateLimitRequest.Builder request, String message) {
    limiter.assertFails(3, message, limiter.ask("CheckRateLimit", request.build().toByteArray()));
  }

  @Test
  void theTimeOfACheckIsNotThatOfWhatElseIsDoneInItsTurn() {
    limiter.start(Mode.LOCAL);
    limiter.askingNs = 2_000;
    limiter.turnTakes(20_000_000);
    limiter.check(check("ann"));
    LatencySummary times = limiter.metrics.latencies().summary(LatencyStep.DECISION, 1);
    assertEquals(1, times.count());
    assertEquals(2_000, times.sumNs());
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void allowsUntilTheLimitAndTellsAllOfIt(Mode mode) {
    limiter.start(mode);
    CheckRateLimitResponse first = limiter.check(check("ann"));
    assertTrue(first.getAllowed());
    assertEquals(1, first.getCurrentCount());
    assertEquals(10, first.getLimit());
    assertEquals(9, first.getRemaining());
    assertEquals("r", first.getRuleId());
    assertEquals(State.NORMAL, first.getState());
    assertEquals(0, first.getRetryAfterSeconds());
    assertFalse(first.hasRetryAfter());
    long nowSeconds = CheckOutcome.unixNs(limiter.store.clock().nowNs()) / 1_000_000_000;
    assertTrue(first.getResetAt().getSeconds() >= nowSeconds);
    assertEquals(State.WARNING, limiter.check(check("ann").setCost(7)).getState());
    CheckRateLimitResponse last = limiter.check(check("ann").setCost(2));
    assertTrue(last.getAllowed());
    assertEquals(State.THROTTLED, last.getState());

    CheckRateLimitResponse refused = limiter.check(check("ann"));
    assertFalse(refused.getAllowed());
    assertEquals(10, refused.getCurrentCount());
    assertEquals(0, refused.getRemaining());
    assertEquals(State.THROTTLED, refused.getState());
    assertTrue(refused.getRetryAfterSeconds() >= 1);
    long exactNs =
        refused.getRetryAfter().getSeconds() * 1_000_000_000 + refused.getRetryAfter().getNanos();
    assertEquals((exactNs + 999_999_999) / 1_000_000_000, refused.getRetryAfterSeconds());
    assertTrue(limiter.check(check("eve")).getAllowed(), "another's budget");
    assertTrue(limiter.check(check("ann").setEndpoint("/carts")).getAllowed(), "no rule applies");
    assertEquals("", limiter.check(check("ann").setEndpoint("/carts")).getRuleId());
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void budgetThatACostCanNeverFitIsThrottled(Mode mode) {
    limiter.start(mode);
    for (long cost : new long[] {11, 1L << 40}) {
      CheckRateLimitResponse refused = limiter.check(check("ann").setCost(cost));
      assertFalse(refused.getAllowed());
      assertEquals(State.THROTTLED, refused.getState());
    }
    assertEquals(State.NORMAL, limiter.check(check("ann")).getState());
  }

  @Test
  void aWindowEndsAtOneTimeHoweverLongItTakesToDecide() {
    limiter.start(Mode.LOCAL);
    Timestamp first = limiter.check(check("ann")).getResetAt();
    limiter.askingNs = 1_000_000;
    assertEquals(first, limiter.check(check("ann")).getResetAt());
    assertEquals(first, limiter.check(check("ann")).getResetAt());
  }

  /**
   * Those that come together are looked at together, and mostly have all but one field in common.
   */
  @Test
  void answersChecksThatComeTogetherAsItWouldEachAlone() {
    limiter.start(Mode.LOCAL);
    List<String> together = new ArrayList<>();
    List<String> alone = new ArrayList<>();
    try (RateLimiterRig other = new RateLimiterRig()) {
      other.start(Mode.LOCAL);
      for (int i = 0; i < 4 * GatheredCalls.MAX_PREFETCHED; i++) {
        byte[] message = message(i);
        String method =
            i % 23 == 7 ? "CheckRateLimits" : i % 19 == 7 ? "GetRemainingQuota" : "CheckRateLimit";
        limiter.write(method, message);
        other.write(method, message);
        if (i % 11 == 3) {
          limiter.writeReset();
          other.writeReset();
        }
        alone.addAll(ended(other));
      }
      together.addAll(ended(limiter));
    }
    Collections.sort(together);
    Collections.sort(alone);
    assertEquals(alone, together);
  }

  private static List<String> ended(RateLimiterRig of) {
    of.send();
    of.answerAll();
    return of.received();
  }

  /** Most are alike; some cannot be used, and some are no message. */
  private static byte[] message(int i) {
    CheckRateLimitRequest.Builder check = check("user-" + i % 5);
    switch (i % 13) {
      case 2 -> check.setIdentifier("a\nb");
      case 4 -> check.setEndpoint("/none").setRequireRule(true);
      case 6 -> check.setCost(2);
      case 9 -> check.setEndpoint("no path");
      case 11 -> {
        return new byte[] {10, 9, 'x'};
      }
      default -> {
        // As it is.
      }
    }
    return check.build().toByteArray();
  }

  @Test
  void tellsNoWaitWhereNoneWouldDo() {
    limiter.start(Mode.LOCAL);
    CheckRateLimitResponse never = limiter.check(check("ann").setCost(11));
    assertFalse(never.getAllowed());
    assertEquals(0, never.getRetryAfterSeconds());
    assertFalse(never.hasRetryAfter());
    assertEquals(1, limiter.check(check("ann")).getCurrentCount(), "it was charged nothing");
  }

  @Test
  void boundsEachTextOfACheck() {
    limiter.start(Mode.LOCAL);
    assertTrue(limiter.check(check("x".repeat(1024))).getAllowed());
    assertInvalid(
        check("x".repeat(1025)),
        "identifier: "
            + "x".repeat(100)
            + "... (1025 bytes) (expected: 1 to 1,024 bytes without control characters)");
    assertInvalid(
        check("ann").clearDimension().setDimensionName("header:" + "x".repeat(506)),
        "dimension_name: header:"
            + "x".repeat(93)
            + "... (513 bytes) (expected: a source of keys of rules)");
    assertInvalid(
        check("ann").setRuleId("r".repeat(257)),
        "rule_id: " + "r".repeat(100) + "... (257 bytes) (expected: at most 256 bytes)");
    assertInvalid(
        check("ann").setMethod("M".repeat(65)),
        "method: " + "M".repeat(65) + " (expected: at most 64 bytes)");
    assertInvalid(
        check("ann").setEndpoint("/".repeat(8193)),
        "endpoint: " + "/".repeat(100) + "... (8193 bytes) (expected: at most 8,192 bytes)");
  }

  @Test
  void namesTheFieldThatCannotBeUsed() {
    limiter.start(Mode.LOCAL);
    String identifier = " (expected: 1 to 1,024 bytes without control characters)";
    assertInvalid(check(""), "identifier: " + identifier);
    assertInvalid(check("a\0b"), "identifier: a%00b" + identifier);
    assertInvalid(check("a\nb"), "identifier: a%0Ab" + identifier);
    assertInvalid(
        check("x".repeat(65_536)),
        "identifier: " + "x".repeat(100) + "... (65536 bytes)" + identifier);
    assertInvalid(
        check("ann").setDimensionValue(9),
        "dimension: 9 (expected: USER, IP or API_KEY, or dimension_name)");
    assertInvalid(
        check("ann").clearDimension(),
        "dimension: 0 (expected: USER, IP or API_KEY, or dimension_name)");
    assertInvalid(
        check("ann").setDimensionName("ip"),
        "dimension_name: ip (expected: not together with dimension)");
    assertInvalid(
        check("ann").clearDimension().setDimensionName("a user"),
        "dimension_name: a user (expected: ip, api-key, header:NAME, cookie:NAME, query:NAME,"
            + " jwt:CLAIM, tls:san, tls:spiffe or tls:cn; or a name of identities)");
    assertInvalid(
        check("ann").clearDimension().setDimensionName("user"),
        "dimension: missing (expected: all that the key of rule r is made of)");
    assertInvalid(
        check("ann").setDimension(Dimension.IP),
        "dimension: missing (expected: all that the key of rule r is made of)");
    assertInvalid(
        check("ann").setEndpoint("orders"),
        "endpoint: orders (expected: the path of a request, such as /orders)");
    assertInvalid(
        check("ann").setEndpoint(""),
        "endpoint:  (expected: the path of a request, such as /orders)");
    for (long cost : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, (1L << 40) + 1}) {
      assertInvalid(
          check("ann").setCost(cost),
          "cost: " + cost + " (expected: 1 to 2^40, or 0 for the rule's)");
    }
    assertInvalid(
        check("ann").setIdempotencyKey("x".repeat(65)),
        "idempotency_key: "
            + "x".repeat(65)
            + " (expected: 1 to 64 bytes without control characters)");
    assertInvalid(
        check("ann").setIdempotencyKey("x"),
        "idempotency_key: given (expected: none, as rule r is not one of mode exact with one key)");
    assertEquals(1, limiter.check(check("ann")).getCurrentCount(), "nothing was charged");
  }

  @Test
  void findsARuleByItsIdOrSaysThatThereIsNone() {
    limiter.start(Mode.LOCAL);
    assertEquals(
        1,
        limiter.check(check("ann").setEndpoint("").setMethod("").setRuleId("r")).getCurrentCount());
    limiter.assertFails(
        5,
        CheckOutcome.NO_RULE,
        limiter.ask("CheckRateLimit", check("ann").setRuleId("other").build().toByteArray()));
    limiter.assertFails(
        5,
        CheckOutcome.NO_RULE,
        limiter.ask(
            "CheckRateLimit",
            check("ann").setEndpoint("/carts").setRequireRule(true).build().toByteArray()));
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void tellsWhatIsLeftAndChargesNothing(Mode mode) throws InvalidProtocolBufferException {
    limiter.start(mode);
    limiter.check(check("ann").setCost(8));
    for (int i = 0; i < 2; i++) {
      byte[] bytes =
          limiter.answer(
              "GetRemainingQuota",
              GetRemainingQuotaRequest.newBuilder()
                  .setIdentifier("ann")
                  .setDimension(Dimension.USER)
                  .setEndpoint("/orders/1")
                  .build());
      GetRemainingQuotaResponse response = GetRemainingQuotaResponse.parseFrom(bytes);
      assertArrayEquals(response.toByteArray(), bytes);
      assertEquals("r", response.getRuleId());
      assertEquals(1, response.getQuotasCount());
      assertEquals("r", response.getQuotas(0).getPolicy());
      assertEquals(8, response.getQuotas(0).getCurrentCount());
      assertEquals(10, response.getQuotas(0).getLimit());
      assertEquals(2, response.getQuotas(0).getRemaining());
      assertEquals(State.WARNING, response.getQuotas(0).getState());
    }
    limiter.assertFails(
        5,
        CheckOutcome.NO_RULE,
        limiter.ask("GetRemainingQuota", check("ann").setEndpoint("/carts").build().toByteArray()));
  }

  @Test
  void tellsHowManyUnitsRequestsHold() throws InvalidProtocolBufferException {
    limiter.start(
        RuleSpec.builder("r")
            .path(PathPattern.parse("/orders/**"))
            .key(KeySpec.parse("header:x-user-id"))
            .limits(List.of(new BudgetSpec.Builder().concurrency(3)))
            .build());
    Question request = new Question();
    for (int i = 0; i < 2; i++) {
      request.traffic(TextRequest.of("GET", "/orders/1", "x-user-id", "ann"));
      assertTrue(limiter.admission.ask(request, (ticket, told) -> {}, 1).verdict().allowed());
    }
    byte[] bytes = limiter.answer("GetRemainingQuota", check("ann").build());
    Quota quota = GetRemainingQuotaResponse.parseFrom(bytes).getQuotas(0);
    assertEquals(2, quota.getHeld());
    assertEquals(2, quota.getCurrentCount());
    assertEquals(1, quota.getRemaining());
    assertFalse(quota.hasResetAt(), "nobody knows when they end");
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void givesABudgetBackToWhoHasAToken(Mode mode) throws InvalidProtocolBufferException {
    limiter.tokens(new Tokens(List.of("other", "secret"), false));
    limiter.start(mode);
    limiter.check(check("ann").setCost(10));
    ResetLimitRequest reset =
        ResetLimitRequest.newBuilder()
            .setIdentifier("ann")
            .setDimension(Dimension.USER)
            .setRuleId("r")
            .build();
    limiter.assertFails(16, Tokens.EXPECTED, limiter.ask("ResetLimit", reset.toByteArray()));
    limiter.assertFails(
        16,
        Tokens.EXPECTED,
        limiter.ask("ResetLimit", reset.toByteArray(), "authorization: Bearer sec"));
    assertFalse(limiter.check(check("ann")).getAllowed());
    assertEquals(
        "r",
        ResetLimitResponse.parseFrom(
                limiter.answer("ResetLimit", reset, "authorization: Bearer secret"))
            .getRuleId());
    assertEquals(1, limiter.check(check("ann")).getCurrentCount());
  }

  @Test
  void givesNothingBackWhereNobodyHasAToken() {
    limiter.start(Mode.LOCAL);
    limiter.assertFails(
        7,
        "no tokens are configured (expected: decision-tokens)",
        limiter.ask("ResetLimit", new byte[0], "authorization: Bearer secret"));
  }

  @Test
  void wantsATokenOfAllWhereThatIsSaid() {
    limiter.tokens(new Tokens(List.of("secret"), true));
    limiter.start(Mode.LOCAL);
    byte[] message = check("ann").build().toByteArray();
    limiter.assertFails(16, Tokens.EXPECTED, limiter.ask("CheckRateLimit", message));
    parsed(limiter.answer("CheckRateLimit", check("ann").build(), "authorization: bearer secret"));
  }

  @Test
  void aStoreThatDoesNotDecideIsNoAnswerUnderClosed() {
    limiter.start(Mode.EXACT);
    limiter.server.lose(false);
    limiter.assertFails(
        14,
        "Rate Limit Store Unavailable",
        limiter.ask("CheckRateLimit", check("ann").build().toByteArray()));
  }

  @ParameterizedTest
  @EnumSource(
      value = OnStoreFailure.class,
      names = {"OPEN", "CLOSED"})
  void nobodyKnowsWhatIsLeftWhileTheStoreDoesNotSay(OnStoreFailure onStoreFailure) {
    limiter.start(Mode.EXACT, onStoreFailure, "10/365d");
    limiter.server.lose(false);
    limiter.assertFails(
        14,
        "Rate Limit Store Unavailable",
        limiter.ask("GetRemainingQuota", check("ann").build().toByteArray()));
  }

  @Test
  void countsChecksThatTheFailurePolicyLetPass() throws InvalidProtocolBufferException {
    limiter.start(Mode.EXACT, OnStoreFailure.OPEN, "10/365d");
    limiter.metrics.exposeStore();
    limiter.server.lose(false);
    assertTrue(limiter.check(check("ann")).getAllowed());
    limiter.ask("GetRemainingQuota", check("ann").build().toByteArray());
    String page = new String(limiter.metrics.expose(null).body(), StandardCharsets.UTF_8);
    assertTrue(page.contains("\nweir_store_fallback_allowed_total 1.0\n"), page);
    assertTrue(page.contains("\nweir_store_fallback_refused_total 0.0\n"), page);
  }

  @Test
  void ofAShareOfTheLimitThisSidecarKnowsWhatIsLeft() throws InvalidProtocolBufferException {
    limiter.start(Mode.EXACT, OnStoreFailure.LOCAL_SHARE, "10/365d");
    limiter.server.lose(false);
    byte[] bytes = limiter.answer("GetRemainingQuota", check("ann").build());
    assertEquals(10, GetRemainingQuotaResponse.parseFrom(bytes).getQuotas(0).getRemaining());
  }

  /** Calls may be alike in all that they ask, and have each a deadline of its own. */
  @Test
  void awaitsTheStoreAsLongAsEachCallOfAReadMay() {
    limiter.start(Mode.EXACT);
    byte[] message = check("ann").build().toByteArray();
    limiter.write("CheckRateLimit", message, "grpc-timeout: 1m");
    limiter.write("CheckRateLimit", message);
    limiter.write("CheckRateLimit", message, "grpc-timeout: 1m");
    limiter.send();
    limiter.store.pass(TimeUnit.MILLISECONDS.toNanos(2));
    assertEquals(
        List.of(overOn(1), overOn(5)),
        limiter.received(),
        "the call between them may take the store's time");
    limiter.answerAll();
    assertEquals("HEADERS 3 grpc-status: 0 end", limiter.received().get(2));
  }

  private static String overOn(int stream) {
    return "HEADERS "
        + stream
        + " :status: 200, content-type: application/grpc, grpc-status: 4, grpc-message: the"
        + " deadline has passed end";
  }

  @Test
  void whoLeavesWhileTheStoreIsAskedLeavesItsChargeBehind() {
    limiter.start(Mode.EXACT);
    limiter.send("CheckRateLimit", check("ann").setCost(4).build().toByteArray());
    limiter.cancel();
    limiter.answerAll();
    assertEquals(List.of(), limiter.received());
    assertEquals(5, limiter.check(check("ann")).getCurrentCount());
  }

  @Test
  void measuresTheClocksOfThoseWhoTellTheirs() {
    limiter.start(Mode.LOCAL);
    limiter.check(check("ann"));
    assertEquals(0, limiter.toldTimes);
    limiter.check(check("ann").setClientTime(Timestamp.newBuilder().setSeconds(-5)));
    assertEquals(1, limiter.toldTimes);
  }

  @Test
  void aMessageOfNothingIsRefusedAndOneOfRubbishToo() {
    limiter.start(Mode.LOCAL);
    limiter.assertFails(
        3,
        "identifier:  (expected: 1 to 1,024 bytes without control characters)",
        limiter.ask("CheckRateLimit", new byte[0]));
    limiter.assertFails(
        13, GrpcCall.NO_MESSAGE, limiter.ask("CheckRateLimit", new byte[] {(byte) 0xff}));
    limiter.assertFails(
        13,
        GrpcCall.NO_MESSAGE,
        limiter.ask("CheckRateLimit", ByteString.copyFromUtf8("GET / HTTP/1.1").toByteArray()));
    assertTrue(limiter.check(check("ann")).getAllowed());
  }
}
