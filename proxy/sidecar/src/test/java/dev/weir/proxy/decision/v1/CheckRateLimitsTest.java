package dev.weir.proxy.decision.v1;

import static dev.weir.proxy.decision.v1.RateLimiterRig.check;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.UnknownFieldSet;
import dev.weir.proxy.decision.grpc.GrpcCall;
import dev.weir.proxy.metrics.LatencyStep;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.CheckRateLimitResponse;
import dev.weir.v1.CheckRateLimitsRequest;
import dev.weir.v1.CheckRateLimitsResponse;
import dev.weir.v1.Dimension;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many checks in one call, each decided by itself. */
class CheckRateLimitsTest {
  private final RateLimiterRig limiter = new RateLimiterRig();

  @AfterEach
  void close() {
    limiter.close();
  }

  private static CheckRateLimitsRequest.Builder checksOf(int users) {
    CheckRateLimitsRequest.Builder many = CheckRateLimitsRequest.newBuilder();
    for (int i = 0; i < users; i++) {
      many.addChecks(check("user-" + i));
    }
    return many;
  }

  /** In mode leased, one of them asks for units to keep, and is decided behind the others. */
  @ParameterizedTest
  @EnumSource(value = Mode.class, names = "LEASED", mode = EnumSource.Mode.EXCLUDE)
  void decidesEachOfManyChecksByItself(Mode mode) throws InvalidProtocolBufferException {
    limiter.start(mode);
    CheckRateLimitsRequest.Builder many = CheckRateLimitsRequest.newBuilder();
    for (int i = 0; i < 11; i++) {
      many.addChecks(check("ann"));
    }
    many.addChecks(check("eve").setCost(-1));
    many.addChecks(check("eve").setRuleId("other"));
    many.addChecks(check("eve"));
    byte[] bytes = limiter.answer("CheckRateLimits", many.build());
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
                limiter.answer("CheckRateLimits", CheckRateLimitsRequest.getDefaultInstance()))
            .getResultsCount());
  }

  /** Where the store decides, those of one budget and cost share a check of its own. */
  @ParameterizedTest
  @EnumSource(value = Mode.class, names = "LEASED", mode = EnumSource.Mode.EXCLUDE)
  void decidesChecksOfOneBudgetInTheirOrderWhateverTheyCost(Mode mode)
      throws InvalidProtocolBufferException {
    limiter.start(mode);
    CheckRateLimitsRequest.Builder many = CheckRateLimitsRequest.newBuilder();
    for (int cost : new int[] {1, 1, 8, 1, 8, 0}) {
      many.addChecks(check("ann").setCost(cost)).addChecks(check("bob"));
    }
    CheckRateLimitsResponse response =
        CheckRateLimitsResponse.parseFrom(limiter.answer("CheckRateLimits", many.build()));
    List<Long> left = new ArrayList<>();
    List<Boolean> allowed = new ArrayList<>();
    for (int i = 0; i < response.getResultsCount(); i += 2) {
      left.add(response.getResults(i).getResponse().getRemaining());
      allowed.add(response.getResults(i).getResponse().getAllowed());
      assertEquals(9 - i / 2, response.getResults(i + 1).getResponse().getRemaining());
    }
    assertEquals(List.of(9L, 8L, 0L, 0L, 0L, 0L), left);
    assertEquals(List.of(true, true, true, false, false, false), allowed);
  }

  /** Of checks that are alike but for the identifier one is looked at for all. */
  @ParameterizedTest
  @EnumSource(value = Mode.class, names = "LEASED", mode = EnumSource.Mode.EXCLUDE)
  void decidesChecksThatAreAlikeAsItWouldEachAlone(Mode mode)
      throws InvalidProtocolBufferException {
    List<CheckRateLimitRequest.Builder> checks = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      checks.add(check("user-" + i));
    }
    checks.set(3, check("a\nb"));
    checks.set(4, check(""));
    checks.set(7, check("eve").setEndpoint("/orders/../none"));
    checks.set(8, check("eve").setEndpoint("/orders/../none").setRequireRule(true));
    checks.set(9, check("bob").setEndpoint("/orders/../none").setRequireRule(true));
    checks.set(12, check("ann").setCost(3));
    checks.set(13, check("bob").setCost(3));
    checks.set(14, check("eve").setCost(-1));
    checks.set(15, check("joe").setCost(-1));
    checks.set(17, check("ann").setRuleId("other"));
    checks.set(18, check("bob").setRuleId("other"));
    checks.set(19, check("ann").setRuleId("r"));
    checks.set(20, check("bob").setRuleId("r"));
    checks.set(33, check("ann").setDimension(Dimension.API_KEY));
    checks.set(34, check("bob").setDimension(Dimension.API_KEY));
    CheckRateLimitsRequest.Builder many = CheckRateLimitsRequest.newBuilder();
    CheckRateLimitsRequest.Builder padded = CheckRateLimitsRequest.newBuilder();
    for (int i = 0; i < checks.size(); i++) {
      many.addChecks(checks.get(i));
      UnknownFieldSet.Field differs = UnknownFieldSet.Field.newBuilder().addVarint(i).build();
      padded.addChecks(
          checks
              .get(i)
              .setUnknownFields(UnknownFieldSet.newBuilder().addField(99, differs).build()));
    }
    limiter.start(mode);
    byte[] alike = limiter.answer("CheckRateLimits", many.build());
    try (RateLimiterRig other = new RateLimiterRig()) {
      other.start(mode);
      assertEquals(
          CheckRateLimitsResponse.parseFrom(other.answer("CheckRateLimits", padded.build())),
          CheckRateLimitsResponse.parseFrom(alike));
    }
  }

  @Test
  void decidesAsManyKeysAsThereAreAlthoughTheStoreTakesMostOfItsTimeForEachAnswer()
      throws InvalidProtocolBufferException {
    limiter.start(Mode.EXACT);
    limiter.answerNs = RateLimiterRig.DEADLINE_NS * 3 / 4;
    int users = 5 * CheckRateLimits.MAX_AWAITED - 1;
    CheckRateLimitsRequest many = checksOf(users).addChecks(0, check("eve").setCost(-1)).build();
    CheckRateLimitsResponse response =
        CheckRateLimitsResponse.parseFrom(limiter.answer("CheckRateLimits", many));
    assertEquals(3, response.getResults(0).getError().getCode());
    for (int i = 1; i <= users; i++) {
      assertEquals(9, response.getResults(i).getResponse().getRemaining(), "check " + i);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Mode.class, names = "LEASED", mode = EnumSource.Mode.EXCLUDE)
  void tellsTheTimeOfEachDecision(Mode mode) {
    limiter.start(mode);
    limiter.answer("CheckRateLimits", checksOf(70).build());
    limiter.answer(
        "CheckRateLimits", checksOf(1).addChecks(check("eve").setRuleId("none")).build());
    limiter.check(check("ann"));
    assertEquals(73, limiter.metrics.latencies().summary(LatencyStep.DECISION).count());
  }

  @Test
  void asksTheStoreOnceForAllThatIsAskedTogether() {
    limiter.start(Mode.EXACT);
    limiter.send("CheckRateLimits", checksOf(CheckRateLimits.MAX_AWAITED).build().toByteArray());
    assertEquals(1, limiter.server.pendingCount());
    limiter.answerAll();
    assertEquals(3, limiter.received().size());
  }

  @Test
  void asksNoMoreForACallThatHasBeenCancelled() {
    limiter.start(Mode.EXACT);
    limiter.send(
        "CheckRateLimits", checksOf(3 * CheckRateLimits.MAX_AWAITED).build().toByteArray());
    limiter.server.answer();
    assertEquals(1, limiter.server.pendingCount());
    limiter.cancel();
    limiter.answerAll();
    int charged = 0;
    for (int i = 0; i < 3 * CheckRateLimits.MAX_AWAITED; i++) {
      charged += limiter.check(check("user-" + i)).getCurrentCount() > 1 ? 1 : 0;
    }
    assertEquals(2 * CheckRateLimits.MAX_AWAITED, charged);
  }

  /** What calls say that are not asked whole stays in memory, for which there is a bound. */
  @Test
  void whatCallsSayBeyondTheRoomForItIsRefusedAndNotCharged()
      throws InvalidProtocolBufferException {
    limiter.start(Mode.EXACT, OnStoreFailure.CLOSED, "1000/365d");
    CheckRateLimitsRequest checks = checksOf(CheckRateLimits.MAX_AWAITED + 1).build();
    byte[] message = padded(checks, 4_194_000);
    int fitting = CheckRateLimits.MAX_KEPT_BYTES / message.length;
    for (int i = 0; i <= fitting; i++) {
      limiter.sendLong("CheckRateLimits", message);
    }
    limiter.answerAll();
    List<String> frames = limiter.received();
    assertEquals(
        fitting + 1, frames.stream().filter(frame -> frame.endsWith("grpc-status: 0 end")).count());
    String last = "DATA " + limiter.stream() + " ";
    String found = frames.stream().filter(frame -> frame.startsWith(last)).findFirst().get();
    CheckRateLimitsResponse response = CheckRateLimitsResponse.parseFrom(limiter.message(found));
    for (int i = 0; i < CheckRateLimits.MAX_AWAITED; i++) {
      assertTrue(response.getResults(i).hasResponse(), "check " + i);
    }
    assertEquals(8, response.getResults(CheckRateLimits.MAX_AWAITED).getError().getCode());
    String refused = "user-" + CheckRateLimits.MAX_AWAITED;
    assertEquals(fitting + 1, limiter.check(check(refused)).getCurrentCount());
    response = CheckRateLimitsResponse.parseFrom(limiter.answer("CheckRateLimits", checks));
    assertTrue(response.getResults(CheckRateLimits.MAX_AWAITED).hasResponse());
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
    limiter.start(Mode.LOCAL);
    CheckRateLimitsRequest.Builder many = CheckRateLimitsRequest.newBuilder();
    for (int i = 0; i < 1_001; i++) {
      many.addChecks(CheckRateLimitRequest.newBuilder().setIdentifier("ann").setRuleId("r"));
    }
    limiter.assertFails(
        3,
        "checks: 1001 (expected: at most 1000)",
        limiter.ask("CheckRateLimits", many.build().toByteArray()));
    byte[] spoiled =
        CheckRateLimitsRequest.newBuilder()
            .addChecks(check("ann"))
            .addChecks(check("ann"))
            .build()
            .toByteArray();
    spoiled[spoiled.length - 1] = (byte) 0xff; // no UTF-8
    limiter.assertFails(13, GrpcCall.NO_MESSAGE, limiter.ask("CheckRateLimits", spoiled));
    assertEquals(1, limiter.check(check("ann")).getCurrentCount());
  }

  @Test
  void whoLeavesWhileTheStoreIsAskedLeavesAllChargesBehind() {
    limiter.start(Mode.EXACT);
    byte[] many =
        CheckRateLimitsRequest.newBuilder()
            .addChecks(check("ann"))
            .addChecks(check("eve"))
            .build()
            .toByteArray();
    limiter.send("CheckRateLimits", many);
    limiter.cancel();
    limiter.answerAll();
    assertEquals(List.of(), limiter.received());
    assertEquals(2, limiter.check(check("ann")).getCurrentCount());
  }

  /** What was asked is answered by the rules of when it was asked; what it took stays taken. */
  @ParameterizedTest
  @EnumSource
  void aBatchThatAwaitsTheStoreIsAnsweredWholeWhenRulesAreSwappedMeanwhile(Mode mode)
      throws InvalidProtocolBufferException {
    limiter.start(Mode.EXACT);
    CheckRateLimitsRequest.Builder many = CheckRateLimitsRequest.newBuilder();
    for (String user : List.of("ann", "eve", "bob")) {
      many.addChecks(check(user));
    }
    limiter.send("CheckRateLimits", many.build().toByteArray());
    assertEquals(List.of(), limiter.received());
    RuleSpec next = RateLimiterRig.rule(mode, OnStoreFailure.CLOSED, "5/365d");
    limiter.admission.publish(RuleSet.compile(List.of(next), false, RuleSet.EMPTY, 0));
    limiter.answerAll();
    List<String> frames = limiter.received();
    CheckRateLimitsResponse response =
        CheckRateLimitsResponse.parseFrom(limiter.message(frames.get(1)));
    assertEquals(3, response.getResultsCount());
    response.getResultsList().forEach(each -> assertEquals(9, each.getResponse().getRemaining()));
    assertEquals(3, frames.size(), frames.toString());
    assertEquals(mode.needsStore() ? 3 : 4, limiter.check(check("ann")).getRemaining());
  }
}
