package dev.weir.proxy.decision;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.UnknownFieldSet;
import dev.weir.proxy.LeakRecorder;
import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.ModelAdmission;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.DecisionObserver;
import dev.weir.proxy.rule.Algorithm;
import dev.weir.proxy.rule.BudgetSpec;
import dev.weir.proxy.rule.KeySpec;
import dev.weir.proxy.rule.Mode;
import dev.weir.proxy.rule.OnStoreFailure;
import dev.weir.proxy.rule.PathPattern;
import dev.weir.proxy.rule.Rate;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.RuleSpec;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
import dev.weir.proxy.store.Topology;
import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.CheckRateLimitResponse;
import dev.weir.v1.CheckRateLimitsRequest;
import dev.weir.v1.CheckRateLimitsResponse;
import dev.weir.v1.Dimension;
import dev.weir.v1.GetRemainingQuotaRequest;
import dev.weir.v1.GetRemainingQuotaResponse;
import dev.weir.v1.ResetLimitRequest;
import dev.weir.v1.ResetLimitResponse;
import dev.weir.v1.State;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The service of the decision API, by the messages that generated classes write and read. */
class RateLimiterTest {
  private static final long DEADLINE_NS = TimeUnit.MILLISECONDS.toNanos(16);
  private static final String HEAD = ":status: 200, content-type: application/grpc";

  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 16);
  private final LoopMetrics metrics = new Metrics().newLoop();
  private final ModelServer server = new ModelServer(1);
  private final ModelStore store =
      new ModelStore(List.of(server), List.of(), false, metrics.store(), DEADLINE_NS);
  private final DecisionRig rig = new DecisionRig();
  private AdmissionHandler admission;
  private int stream = -1;
  private int toldTimes;

  /** How long each answer of the store takes. */
  private long answerNs;

  @AfterEach
  void close() {
    rig.close();
    assertEquals(0, rig.open);
    assertEquals(0, rig.http2.heldBytes());
    store.close();
    tables.close();
  }

  @AfterAll
  static void findNoLeak() throws InterruptedException {
    LeakRecorder.assertNone();
  }

  private void start(Mode mode) {
    start(mode, OnStoreFailure.CLOSED, "10/365d");
  }

  private void start(Mode mode, OnStoreFailure onStoreFailure, String rate) {
    start(rule(mode, onStoreFailure, rate));
  }

  private static RuleSpec rule(Mode mode, OnStoreFailure onStoreFailure, String rate) {
    return RuleSpec.builder("r")
        .mode(mode)
        .onStoreFailure(onStoreFailure)
        .path(PathPattern.parse("/orders/**"))
        .limits(
            List.of(
                new BudgetSpec.Builder()
                    .algorithm(Algorithm.FIXED_WINDOW)
                    .rate(Rate.parse(rate))
                    .key(KeySpec.parse("header:x-user-id"))))
        .build();
  }

  private void start(RuleSpec rule) {
    admission = ModelAdmission.of(store, Topology.STANDALONE, DEADLINE_NS, tables, metrics, rule);
    DecisionObserver observer =
        new DecisionObserver() {
          @Override
          public void callStarted(DecisionCall what) {}

          @Override
          public void callEnded(DecisionCall what, int grpcStatus) {}

          @Override
          public void clientTime(long seconds, int nanos, long nowNs) {
            toldTimes++;
          }
        };
    rig.with(new RateLimiterLoop(admission, store.clock(), observer).methods(), List.of());
    rig.connectHttp2();
  }

  private static CheckRateLimitRequest.Builder check(String user) {
    return CheckRateLimitRequest.newBuilder()
        .setIdentifier(user)
        .setDimension(Dimension.USER)
        .setEndpoint("/orders/7?a=b")
        .setMethod("POST");
  }

  /** Asks, has the store answer, and returns the frames of the answer. */
  private List<String> ask(String method, byte[] message, String... lines) {
    stream += 2;
    rig.head(stream, "/weir.v1.RateLimiter/" + method, lines);
    byte[] all = DecisionRig.message(message);
    for (int at = 0; at < all.length; at += 16_384) {
      int end = Math.min(all.length, at + 16_384);
      rig.client.data(stream, end == all.length, Arrays.copyOfRange(all, at, end));
    }
    rig.client.send();
    answerAll();
    return rig.client.received();
  }

  private void answerAll() {
    while (server.pendingCount() > 0) {
      if (answerNs > 0) {
        store.pass(answerNs);
      }
      server.answer();
    }
  }

  private byte[] answer(String method, MessageLite message, String... lines) {
    List<String> frames = ask(method, message.toByteArray(), lines);
    assertEquals(3, frames.size(), frames.toString());
    assertEquals("HEADERS " + stream + " " + HEAD, frames.get(0));
    assertEquals("HEADERS " + stream + " grpc-status: 0 end", frames.get(2));
    String data = frames.get(1).substring(("DATA " + stream + " ").length());
    byte[] bytes = data.getBytes(StandardCharsets.ISO_8859_1);
    byte[] answer = Arrays.copyOfRange(bytes, 5, bytes.length);
    assertArrayEquals(DecisionRig.message(answer), bytes);
    return answer;
  }

  private CheckRateLimitResponse check(CheckRateLimitRequest.Builder request) {
    return parsed(answer("CheckRateLimit", request.build()));
  }

  /** What the generated class reads, which writes the same bytes again. */
  private static CheckRateLimitResponse parsed(byte[] bytes) {
    try {
      CheckRateLimitResponse response = CheckRateLimitResponse.parseFrom(bytes);
      assertArrayEquals(response.toByteArray(), bytes);
      return response;
    } catch (InvalidProtocolBufferException malformed) {
      throw new AssertionError(malformed);
    }
  }

  private void assertFails(int status, String message, List<String> frames) {
    assertEquals(
        "HEADERS "
            + stream
            + " "
            + HEAD
            + ", grpc-status: "
            + status
            + ", grpc-message: "
            + message
            + " end",
        frames.stream().filter(frame -> frame.startsWith("HEADERS")).findFirst().orElse(""));
  }

  private void assertInvalid(CheckRateLimitRequest.Builder request, String message) {
    assertFails(3, message, ask("CheckRateLimit", request.build().toByteArray()));
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void allowsUntilTheLimitAndTellsAllOfIt(Mode mode) {
    start(mode);
    CheckRateLimitResponse first = check(check("ann"));
    assertTrue(first.getAllowed());
    assertEquals(1, first.getCurrentCount());
    assertEquals(10, first.getLimit());
    assertEquals(9, first.getRemaining());
    assertEquals("r", first.getRuleId());
    assertEquals(State.NORMAL, first.getState());
    assertEquals(0, first.getRetryAfterSeconds());
    assertFalse(first.hasRetryAfter());
    long nowSeconds = CheckOutcome.unixNs(store.clock().nowNs()) / 1_000_000_000;
    assertTrue(first.getResetAt().getSeconds() >= nowSeconds);
    assertEquals(State.WARNING, check(check("ann").setCost(7)).getState());
    CheckRateLimitResponse last = check(check("ann").setCost(2));
    assertTrue(last.getAllowed());
    assertEquals(State.THROTTLED, last.getState());

    CheckRateLimitResponse refused = check(check("ann"));
    assertFalse(refused.getAllowed());
    assertEquals(10, refused.getCurrentCount());
    assertEquals(0, refused.getRemaining());
    assertEquals(State.THROTTLED, refused.getState());
    assertTrue(refused.getRetryAfterSeconds() >= 1);
    long exactNs =
        refused.getRetryAfter().getSeconds() * 1_000_000_000 + refused.getRetryAfter().getNanos();
    assertEquals((exactNs + 999_999_999) / 1_000_000_000, refused.getRetryAfterSeconds());
    assertTrue(check(check("eve")).getAllowed(), "another's budget");
    assertTrue(check(check("ann").setEndpoint("/carts")).getAllowed(), "no rule applies");
    assertEquals("", check(check("ann").setEndpoint("/carts")).getRuleId());
  }

  @Test
  void tellsNoWaitWhereNoneWouldDo() {
    start(Mode.LOCAL);
    CheckRateLimitResponse never = check(check("ann").setCost(11));
    assertFalse(never.getAllowed());
    assertEquals(0, never.getRetryAfterSeconds());
    assertFalse(never.hasRetryAfter());
    assertEquals(1, check(check("ann")).getCurrentCount(), "it was charged nothing");
  }

  /** In mode leased, one of them asks for units to keep, and is decided behind the others. */
  @ParameterizedTest
  @EnumSource(value = Mode.class, names = "LEASED", mode = EnumSource.Mode.EXCLUDE)
  void decidesEachOfManyChecksByItself(Mode mode) throws InvalidProtocolBufferException {
    start(mode);
    CheckRateLimitsRequest.Builder many = CheckRateLimitsRequest.newBuilder();
    for (int i = 0; i < 11; i++) {
      many.addChecks(check("ann"));
    }
    many.addChecks(check("eve").setCost(-1));
    many.addChecks(check("eve").setRuleId("other"));
    many.addChecks(check("eve"));
    byte[] bytes = answer("CheckRateLimits", many.build());
    CheckRateLimitsResponse response = CheckRateLimitsResponse.parseFrom(bytes);
    assertArrayEquals(response.toByteArray(), bytes);
    assertEquals(14, response.getResultsCount());
    for (int i = 0; i < 11; i++) {
      CheckRateLimitResponse result = response.getResults(i).getResponse();
      assertEquals(i < 10, result.getAllowed());
      assertEquals(Math.max(0, 9 - i), result.getRemaining());
    }
    assertEquals(3, response.getResults(11).getError().getCode());
    assertTrue(response.getResults(11).getError().getMessage().startsWith("cost: -1 (expected: "));
    assertEquals(5, response.getResults(12).getError().getCode());
    assertEquals(9, response.getResults(13).getResponse().getRemaining());
    assertEquals(
        0,
        CheckRateLimitsResponse.parseFrom(
                answer("CheckRateLimits", CheckRateLimitsRequest.getDefaultInstance()))
            .getResultsCount());
  }

  private static CheckRateLimitsRequest.Builder checksOf(int users) {
    CheckRateLimitsRequest.Builder many = CheckRateLimitsRequest.newBuilder();
    for (int i = 0; i < users; i++) {
      many.addChecks(check("user-" + i));
    }
    return many;
  }

  @Test
  void decidesAsManyKeysAsThereAreAlthoughTheStoreTakesMostOfItsTimeForEachAnswer()
      throws InvalidProtocolBufferException {
    start(Mode.EXACT);
    answerNs = DEADLINE_NS * 3 / 4;
    int users = 5 * CheckRateLimits.MAX_AWAITED - 1;
    CheckRateLimitsRequest many = checksOf(users).addChecks(0, check("eve").setCost(-1)).build();
    CheckRateLimitsResponse response =
        CheckRateLimitsResponse.parseFrom(answer("CheckRateLimits", many));
    assertEquals(3, response.getResults(0).getError().getCode());
    for (int i = 1; i <= users; i++) {
      assertEquals(9, response.getResults(i).getResponse().getRemaining(), "check " + i);
    }
  }

  @Test
  void asksTheStoreOnceForAllThatIsAskedTogether() {
    start(Mode.EXACT);
    stream += 2;
    byte[] many = checksOf(CheckRateLimits.MAX_AWAITED).build().toByteArray();
    rig.head(stream, "/weir.v1.RateLimiter/CheckRateLimits")
        .data(stream, true, DecisionRig.message(many))
        .send();
    assertEquals(1, server.pendingCount());
    answerAll();
    assertEquals(3, rig.client.received().size());
  }

  @Test
  void asksNoMoreForACallThatHasBeenCancelled() {
    start(Mode.EXACT);
    stream += 2;
    byte[] many = checksOf(3 * CheckRateLimits.MAX_AWAITED).build().toByteArray();
    rig.head(stream, "/weir.v1.RateLimiter/CheckRateLimits")
        .data(stream, true, DecisionRig.message(many))
        .send();
    server.answer();
    assertEquals(1, server.pendingCount());
    rig.client.reset(stream, ErrorCode.CANCEL).send();
    answerAll();
    int charged = 0;
    for (int i = 0; i < 3 * CheckRateLimits.MAX_AWAITED; i++) {
      charged += check(check("user-" + i)).getCurrentCount() > 1 ? 1 : 0;
    }
    assertEquals(2 * CheckRateLimits.MAX_AWAITED, charged);
  }

  /** What calls say that are not asked whole stays in memory, for which there is a bound. */
  @Test
  void whatCallsSayBeyondTheRoomForItIsRefusedAndNotCharged()
      throws InvalidProtocolBufferException {
    start(Mode.EXACT, OnStoreFailure.CLOSED, "1000/365d");
    CheckRateLimitsRequest checks = checksOf(CheckRateLimits.MAX_AWAITED + 1).build();
    byte[] message = padded(checks, 4_194_000);
    int fitting = CheckRateLimits.MAX_KEPT_BYTES / message.length;
    for (int i = 0; i <= fitting; i++) {
      sendLong(DecisionRig.message(message));
    }
    answerAll();
    List<String> frames = rig.client.received();
    assertEquals(
        fitting + 1, frames.stream().filter(frame -> frame.endsWith("grpc-status: 0 end")).count());
    String last = "DATA " + stream + " ";
    String found = frames.stream().filter(frame -> frame.startsWith(last)).findFirst().get();
    byte[] bytes = found.substring(last.length() + 5).getBytes(StandardCharsets.ISO_8859_1);
    CheckRateLimitsResponse response = CheckRateLimitsResponse.parseFrom(bytes);
    for (int i = 0; i < CheckRateLimits.MAX_AWAITED; i++) {
      assertTrue(response.getResults(i).hasResponse(), "check " + i);
    }
    assertEquals(8, response.getResults(CheckRateLimits.MAX_AWAITED).getError().getCode());
    String refused = "user-" + CheckRateLimits.MAX_AWAITED;
    assertEquals(fitting + 1, check(check(refused)).getCurrentCount());
    response = CheckRateLimitsResponse.parseFrom(answer("CheckRateLimits", checks));
    assertTrue(response.getResults(CheckRateLimits.MAX_AWAITED).hasResponse());
  }

  /** Each frame is read before the next is sent, so that windows open in time. */
  private void sendLong(byte[] message) {
    stream += 2;
    rig.head(stream, "/weir.v1.RateLimiter/CheckRateLimits").send();
    for (int at = 0; at < message.length; at += 16_384) {
      int end = Math.min(message.length, at + 16_384);
      rig.client.data(stream, end == message.length, Arrays.copyOfRange(message, at, end)).send();
    }
  }

  /** A message that is longer by a field which nobody knows. */
  private static byte[] padded(MessageLite message, int bytes) {
    UnknownFieldSet.Field pad =
        UnknownFieldSet.Field.newBuilder()
            .addLengthDelimited(ByteString.copyFrom(new byte[bytes - message.getSerializedSize()]))
            .build();
    UnknownFieldSet more = UnknownFieldSet.newBuilder().addField(99, pad).build();
    return message.toByteString().concat(more.toByteString()).toByteArray();
  }

  @Test
  void chargesNothingOfTooManyChecksOrOfAMessageThatIsSpoiled() {
    start(Mode.LOCAL);
    CheckRateLimitsRequest.Builder many = CheckRateLimitsRequest.newBuilder();
    for (int i = 0; i < 1_001; i++) {
      many.addChecks(CheckRateLimitRequest.newBuilder().setIdentifier("ann").setRuleId("r"));
    }
    assertFails(
        3,
        "checks: 1001 (expected: at most 1000)",
        ask("CheckRateLimits", many.build().toByteArray()));
    byte[] spoiled =
        CheckRateLimitsRequest.newBuilder()
            .addChecks(check("ann"))
            .addChecks(check("ann"))
            .build()
            .toByteArray();
    spoiled[spoiled.length - 1] = (byte) 0xff; // no UTF-8
    assertFails(13, RateLimiterLoop.NO_MESSAGE, ask("CheckRateLimits", spoiled));
    assertEquals(1, check(check("ann")).getCurrentCount());
  }

  @Test
  void namesTheFieldThatCannotBeUsed() {
    start(Mode.LOCAL);
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
        check("ann").clearDimension().setDimensionName("user"),
        "dimension_name: user (expected: ip, api-key, header:NAME, cookie:NAME, query:NAME,"
            + " tls:san, tls:spiffe or tls:cn)");
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
    assertEquals(1, check(check("ann")).getCurrentCount(), "nothing was charged");
  }

  @Test
  void findsARuleByItsIdOrSaysThatThereIsNone() {
    start(Mode.LOCAL);
    assertEquals(
        1, check(check("ann").setEndpoint("").setMethod("").setRuleId("r")).getCurrentCount());
    assertFails(
        5,
        CheckOutcome.NO_RULE,
        ask("CheckRateLimit", check("ann").setRuleId("other").build().toByteArray()));
    assertFails(
        5,
        CheckOutcome.NO_RULE,
        ask(
            "CheckRateLimit",
            check("ann").setEndpoint("/carts").setRequireRule(true).build().toByteArray()));
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void tellsWhatIsLeftAndChargesNothing(Mode mode) throws InvalidProtocolBufferException {
    start(mode);
    check(check("ann").setCost(8));
    for (int i = 0; i < 2; i++) {
      byte[] bytes =
          answer(
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
    assertFails(
        5,
        CheckOutcome.NO_RULE,
        ask("GetRemainingQuota", check("ann").setEndpoint("/carts").build().toByteArray()));
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void givesABudgetBackToWhoHasAToken(Mode mode) throws InvalidProtocolBufferException {
    rig.tokens(new Tokens(List.of("other", "secret"), false));
    start(mode);
    check(check("ann").setCost(10));
    ResetLimitRequest reset =
        ResetLimitRequest.newBuilder()
            .setIdentifier("ann")
            .setDimension(Dimension.USER)
            .setRuleId("r")
            .build();
    assertFails(16, Tokens.EXPECTED, ask("ResetLimit", reset.toByteArray()));
    assertFails(
        16, Tokens.EXPECTED, ask("ResetLimit", reset.toByteArray(), "authorization: Bearer sec"));
    assertFalse(check(check("ann")).getAllowed());
    assertEquals(
        "r",
        ResetLimitResponse.parseFrom(answer("ResetLimit", reset, "authorization: Bearer secret"))
            .getRuleId());
    assertEquals(1, check(check("ann")).getCurrentCount());
  }

  @Test
  void givesNothingBackWhereNobodyHasAToken() {
    start(Mode.LOCAL);
    assertFails(
        7,
        "no tokens are configured (expected: decision-tokens)",
        ask("ResetLimit", new byte[0], "authorization: Bearer secret"));
  }

  @Test
  void wantsATokenOfAllWhereThatIsSaid() {
    rig.tokens(new Tokens(List.of("secret"), true));
    start(Mode.LOCAL);
    byte[] message = check("ann").build().toByteArray();
    assertFails(16, Tokens.EXPECTED, ask("CheckRateLimit", message));
    parsed(answer("CheckRateLimit", check("ann").build(), "authorization: bearer secret"));
  }

  @Test
  void aStoreThatDoesNotDecideIsNoAnswerUnderClosed() {
    start(Mode.EXACT);
    server.lose(false);
    assertFails(
        14,
        "Rate Limit Store Unavailable",
        ask("CheckRateLimit", check("ann").build().toByteArray()));
  }

  @Test
  void whoLeavesWhileTheStoreIsAskedLeavesItsChargeBehind() {
    start(Mode.EXACT);
    stream += 2;
    rig.head(stream, "/weir.v1.RateLimiter/CheckRateLimit")
        .data(stream, true, DecisionRig.message(check("ann").setCost(4).build().toByteArray()))
        .send();
    rig.client.reset(stream, ErrorCode.CANCEL).send();
    answerAll();
    assertEquals(List.of(), rig.client.received());
    assertEquals(5, check(check("ann")).getCurrentCount());
    stream += 2;
    byte[] many =
        CheckRateLimitsRequest.newBuilder()
            .addChecks(check("ann"))
            .addChecks(check("eve"))
            .build()
            .toByteArray();
    rig.head(stream, "/weir.v1.RateLimiter/CheckRateLimits")
        .data(stream, true, DecisionRig.message(many))
        .send();
    rig.client.reset(stream, ErrorCode.CANCEL).send();
    answerAll();
    assertEquals(List.of(), rig.client.received());
    assertEquals(7, check(check("ann")).getCurrentCount());
  }

  /** What was asked is answered by the rules of when it was asked; what it took stays taken. */
  @ParameterizedTest
  @EnumSource
  void aBatchThatAwaitsTheStoreIsAnsweredWholeWhenRulesAreSwappedMeanwhile(Mode mode)
      throws InvalidProtocolBufferException {
    start(Mode.EXACT);
    CheckRateLimitsRequest.Builder many = CheckRateLimitsRequest.newBuilder();
    for (String user : List.of("ann", "eve", "bob")) {
      many.addChecks(check(user));
    }
    stream += 2;
    rig.head(stream, "/weir.v1.RateLimiter/CheckRateLimits")
        .data(stream, true, DecisionRig.message(many.build().toByteArray()))
        .send();
    assertEquals(List.of(), rig.client.received());
    RuleSpec next = rule(mode, OnStoreFailure.CLOSED, "5/365d");
    admission.publish(RuleSet.compile(List.of(next), false, RuleSet.EMPTY, 0));
    answerAll();
    List<String> frames = rig.client.received();
    byte[] data =
        frames
            .get(1)
            .substring(("DATA " + stream + " ").length() + 5)
            .getBytes(StandardCharsets.ISO_8859_1);
    CheckRateLimitsResponse response = CheckRateLimitsResponse.parseFrom(data);
    assertEquals(3, response.getResultsCount());
    response.getResultsList().forEach(each -> assertEquals(9, each.getResponse().getRemaining()));
    assertEquals("HEADERS " + stream + " grpc-status: 0 end", frames.get(2));
    assertEquals(mode.needsStore() ? 3 : 4, check(check("ann")).getRemaining());
  }

  @Test
  void measuresTheClocksOfThoseWhoTellTheirs() {
    start(Mode.LOCAL);
    check(check("ann"));
    assertEquals(0, toldTimes);
    check(check("ann").setClientTime(com.google.protobuf.Timestamp.newBuilder().setSeconds(-5)));
    assertEquals(1, toldTimes);
  }

  @Test
  void aMessageOfNothingIsRefusedAndOneOfRubbishToo() {
    start(Mode.LOCAL);
    assertFails(
        3,
        "identifier:  (expected: 1 to 1,024 bytes without control characters)",
        ask("CheckRateLimit", new byte[0]));
    assertFails(13, RateLimiterLoop.NO_MESSAGE, ask("CheckRateLimit", new byte[] {(byte) 0xff}));
    assertFails(
        13,
        RateLimiterLoop.NO_MESSAGE,
        ask("CheckRateLimit", ByteString.copyFromUtf8("GET / HTTP/1.1").toByteArray()));
    assertTrue(check(check("ann")).getAllowed());
  }
}
