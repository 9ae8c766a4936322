package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestEnd.How;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.CostAtEnd;
import dev.weir.proxy.rule.spec.CostSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Units that requests hold from their verdicts to their ends, decided in memory. */
class HeldAdmissionTest {
  private static final RequestView REQUEST = TextRequest.of("GET", "/r");
  private static final ReportedCost TOKENS = ReportedCost.ofTrailer(FieldName.of("x-tokens"));
  private static final ReportedCost FAILED = ReportedCost.ofStatus(List.of(401), List.of());
  private static final long LEFT_AT_FIRST = 20_000;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 0);
  private final LoopMetrics metrics = new Metrics().newLoop();
  private final RequestEnd end = new RequestEnd();
  private final Question question = new Question();
  private AdmissionHandler handler = handler(AdmissionHandler.PARKING_PLACES);
  private RuleSet rules = RuleSet.EMPTY;

  @AfterEach
  void close() {
    tables.close();
    channel.close();
  }

  private AdmissionHandler handler(int places) {
    return new AdmissionHandler(
        new LocalGate(tables),
        new IdentityReader(
            IdentitySettings.DEFAULT,
            KeyHasher.withKey(1, 2),
            new ClientIpReader(IdentitySettings.DEFAULT),
            1024),
        metrics,
        new LoopClock(() -> 1),
        channel.eventLoop(),
        places);
  }

  private void use(RuleSpec.Builder... all) {
    List<RuleSpec> specs = new ArrayList<>();
    for (RuleSpec.Builder each : all) {
      specs.add(each.key(KeySpec.ALL).path(PathPattern.parse("/r")).build());
    }
    rules = RuleSet.compile(specs, null, false, rules, 0, 1);
    handler.publish(rules);
    rules.succeed();
  }

  private static BudgetSpec.Builder limit(String rate) {
    return new BudgetSpec.Builder().algorithm(Algorithm.FIXED_WINDOW).rate(Rate.parse(rate));
  }

  private static CostSpec tokens(long reserve) {
    return CostSpec.ofReported(CostAtEnd.of(TOKENS).reserving(reserve));
  }

  private static BudgetSpec.Builder tpm() {
    return limit("20000/365d").name("tpm").cost(tokens(4000));
  }

  private static RuleSpec.Builder rule(BudgetSpec.Builder... limits) {
    return RuleSpec.builder("r").limits(List.of(limits));
  }

  private static BudgetSpec.Builder slots(int count) {
    return new BudgetSpec.Builder().concurrency(count);
  }

  private Verdict ask() {
    return handler.ask(question.traffic(REQUEST), (ticket, verdict) -> {}, 1).verdict();
  }

  private int held() {
    Verdict verdict = ask();
    assertTrue(verdict.allowed(), () -> "" + verdict.refusal());
    return verdict.holding();
  }

  private RequestEnd forwarded(How how) {
    return end.set(how).times(1, 1, 1);
  }

  private void end(int holding, long... costs) {
    forwarded(How.COMPLETE).holding(holding);
    for (long cost : costs) {
      end.costReported(cost);
    }
    handler.ended(Admission.SETTLED, end);
  }

  private long left(int limit) {
    Verdict verdict =
        handler
            .ask(
                question.start(Operation.PEEK, Purpose.OPERATOR).rule("r").wantsRows(),
                (ticket, told) -> {},
                1)
            .verdict();
    return verdict.row(limit).remaining();
  }

  @Test
  void tokensOfAnswersAreHeldAndThenCharged() {
    use(rule(limit("60/365d").name("rpm"), tpm()));
    List<Integer> holdings = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Verdict verdict = ask();
      assertTrue(verdict.allowed());
      assertEquals(List.of(TOKENS), List.of(verdict.reportedCosts()));
      holdings.add(verdict.holding());
    }
    Verdict sixth = ask();
    assertEquals(RefusalReason.OVER_LIMIT, sixth.refusal());
    assertEquals("tpm", sixth.policy().name());
    assertEquals(Verdict.NOTHING_HELD, sixth.holding());
    assertNull(sixth.reportedCosts());
    assertEquals(55, left(0), "the refused one took nothing of the other limit");
    end(holdings.get(0), 900);
    assertEquals(3_100, left(1));
    assertFalse(ask().allowed());
    end(holdings.get(1), 1_200);
    assertEquals(5_900, left(1));
    assertTrue(ask().allowed());
  }

  @Test
  void onlyFailedLogInsAreCharged() {
    use(rule(limit("5/365d").cost(CostSpec.ofReported(CostAtEnd.of(FAILED)))));
    for (int i = 0; i < 100; i++) {
      end(held(), 0);
    }
    for (int i = 0; i < 5; i++) {
      end(held(), 1);
    }
    assertFalse(ask().allowed());
  }

  @Test
  void asManyRequestsAreInFlightAsTheLimitSays() {
    use(rule(limit("100/365d").name("hourly"), slots(3)));
    List<Integer> holdings = List.of(held(), held(), held());
    for (int i = 0; i < 2; i++) {
      Verdict verdict = ask();
      assertEquals(RefusalReason.OVER_LIMIT, verdict.refusal());
      assertEquals(1_000_000_000L, verdict.retryAfterNs());
    }
    assertEquals(97, left(0));
    handler.ended(Admission.SETTLED, forwarded(How.CLIENT_GONE).holding(holdings.get(1)));
    assertEquals(1, left(1));
    held();
    assertFalse(ask().allowed());
    assertEquals(96, left(0));
  }

  /** The table of how exchanges end: what is left of 20,000 when 4,000 were held. */
  @ParameterizedTest
  @CsvSource({
    "COMPLETE, true, 900, 19100",
    "COMPLETE, true, -1, 16000",
    "COMPLETE, true, 0, 20000",
    "SERVICE_GONE, true, 900, 19100",
    "SERVICE_GONE, true, -1, 16000",
    "SERVICE_GONE, false, -1, 20000",
    "TIMED_OUT, true, -1, 16000",
    "TIMED_OUT, false, -1, 20000",
    "CLIENT_GONE, false, -1, 20000",
    "CLIENT_GONE, true, 900, 19100",
    "CLIENT_GONE, true, -1, 16000",
    "REFUSED_HERE, false, -1, 20000",
    "REFUSED_HERE, true, -1, 16000",
    "REFUSED_HERE, true, 900, 19100",
    "UPGRADED_AND_CLOSED, true, -1, 16000",
    "UPGRADED_AND_CLOSED, true, 900, 19100",
  })
  void chargesWhatTheEndSays(How how, boolean isForwarded, long cost, long left) {
    use(rule(tpm()));
    int holding = held();
    end.set(how).times(isForwarded ? 1 : RequestEnd.NEVER, 0, 0).holding(holding);
    handler.ended(Admission.SETTLED, end.costReported(cost));
    assertEquals(left, left(0));
    assertEquals(0, handler.holdings.takenCount());
  }

  @Test
  void chargesForAMissingCostWhatTheRuleSays() {
    CostSpec cost = CostSpec.ofReported(CostAtEnd.of(TOKENS).reserving(4000).missing(70));
    use(rule(limit("20000/365d").cost(cost)));
    end(held());
    assertEquals(LEFT_AT_FIRST - 70, left(0));
    handler.ended(Admission.SETTLED, forwarded(How.CLIENT_GONE).holding(held()));
    assertEquals(LEFT_AT_FIRST - 70 - 4000, left(0), "to leave is no discount");
  }

  /** What is charged of a client whose own deadline has passed, if nothing was reported. */
  @ParameterizedTest
  @CsvSource({
    "TIMED_OUT, true, 0, 4000",
    "TIMED_OUT, false, 0, 0",
    "COMPLETE, true, 0, 4000",
    "TIMED_OUT, true, 5000, 5000",
    "TIMED_OUT, false, 5000, 5000",
    "SERVICE_GONE, false, 70, 70"
  })
  void aClientsOwnDeadlineIsNoDiscount(How how, boolean isLate, long missing, long charged) {
    CostSpec cost = CostSpec.ofReported(CostAtEnd.of(TOKENS).reserving(4000).missing(missing));
    use(rule(limit("20000/365d").cost(cost)));
    int holding = held();
    handler.ended(Admission.SETTLED, forwarded(how).clientLate(isLate).holding(holding));
    assertEquals(LEFT_AT_FIRST - charged, left(0));
    holding = held();
    RequestEnd reported = forwarded(how).clientLate(isLate).holding(holding).costReported(7L);
    handler.ended(Admission.SETTLED, reported);
    assertEquals(LEFT_AT_FIRST - charged - 7, left(0), "as reported if it came before");
  }

  @Test
  void chargesNoMoreThanWhatWasHeldAndAWholeBudget() {
    use(rule(limit("100/365d").cost(tokens(10))));
    end(held(), Long.MAX_VALUE);
    assertEquals(0, left(0));
    use(rule(limit("111/365d").cost(tokens(10))));
    assertEquals(1, left(0), "110 count under a larger number");
  }

  @Test
  void holdsWhatAnswersHaveCostBefore() {
    use(rule(limit("16000/365d").cost(CostSpec.ofReported(CostAtEnd.of(TOKENS)))));
    for (int i = 0; i < 40; i++) {
      end(held(), 100);
      forwarded(How.CLIENT_GONE).holding(held()).costReported(1L);
      handler.ended(Admission.SETTLED, end);
    }
    long before = left(0);
    held();
    long reserve = before - left(0);
    assertTrue(reserve >= 100 && reserve <= 200, reserve + " and not a sixteenth");
  }

  @Test
  void aSecondEndOfARequestDoesNothing() {
    use(rule(slots(2)));
    int first = held();
    int second = held();
    end(first);
    int third = held();
    assertNotEquals(first, third);
    end(first);
    assertFalse(ask().allowed(), "the third holds the place of the first");
    end(third);
    end(second);
    assertEquals(2, left(0));
  }

  @Test
  void refusesWhenEveryHoldingIsInUse() {
    handler = handler(64);
    use(rule(slots(1000)));
    List<Integer> holdings = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      holdings.add(held());
    }
    assertEquals(RefusalReason.TOO_MANY_IN_FLIGHT, ask().refusal());
    assertEquals(1000 - 64, left(0));
    end(holdings.get(7));
    held();
  }

  @Test
  void aCheckWithoutAnEndIsChargedAtOnce() {
    use(rule(tpm(), slots(1)));
    held();
    for (long cost : new long[] {Question.COST_OF_RULE, 500}) {
      question.start(Operation.CHECK, Purpose.DECISION).request(REQUEST).cost(cost);
      Verdict verdict = handler.ask(question, (ticket, told) -> {}, 1).verdict();
      assertTrue(verdict.allowed(), "no slots are needed");
      assertEquals(Verdict.NOTHING_HELD, verdict.holding());
    }
    assertEquals(LEFT_AT_FIRST - 4000 - 4000 - 500, left(0));
    assertEquals(1, handler.holdings.takenCount());
  }

  @Test
  void aCheckPassesWhereOnlyRequestsInFlightAreLimited() {
    use(rule(slots(1)));
    held();
    question.start(Operation.CHECK, Purpose.DECISION).request(REQUEST);
    assertTrue(handler.ask(question, (ticket, told) -> {}, 1).verdict().allowed());
  }

  @Test
  void aMessageHoldsNothingBesideItsRequest() {
    use(rule(limit("100/365d").name("messages"), tpm(), slots(1)));
    int holding = held();
    for (int i = 0; i < 9; i++) {
      Verdict verdict = handler.ask(question.message(REQUEST), (ticket, told) -> {}, 1).verdict();
      assertTrue(verdict.allowed());
      assertEquals(Verdict.NOTHING_HELD, verdict.holding());
    }
    assertEquals(90, left(0));
    assertEquals(16_000, left(1));
    end(holding, 1);
    assertEquals(19_999, left(1));
  }

  @Test
  void whatIsGivenBackIsNotWhatIsHeld() {
    use(rule(limit("100/365d").name("hourly"), tpm()));
    int holding = held();
    int kept = handler.keep();
    handler.giveBack(kept);
    assertEquals(100, left(0));
    assertEquals(16_000, left(1), "held until the end is told");
    handler.ended(Admission.SETTLED, end.set(How.REFUSED_HERE).holding(holding));
    assertEquals(20_000, left(1));
    held();
    assertNotEquals(Admission.NOTHING_KEPT, handler.keep());
    use(rule(tpm()));
    held();
    assertEquals(Admission.NOTHING_KEPT, handler.keep(), "nothing was charged");
  }

  @Test
  void aHoldingOutlastsAChangeOfItsLimit() {
    use(rule(tpm(), slots(2)));
    int first = held();
    int second = held();
    use(
        rule(
            limit("10000/365d").algorithm(Algorithm.GCRA).name("tpm").cost(tokens(1000)),
            slots(3)));
    assertEquals(2_000, left(0), "8,000 are held");
    assertEquals(1, left(1));
    end(first, 500);
    assertEquals(5_500, left(0));
    use(RuleSpec.builder("other").rate(Rate.parse("1/1s")));
    end(second, 700);
    use(
        rule(
            limit("10000/365d").algorithm(Algorithm.GCRA).name("tpm").cost(tokens(1000)),
            slots(3)));
    assertEquals(3, left(1));
    assertEquals(0, handler.holdings.takenCount());
  }

  @Test
  void aDryRunHoldsAndRefusesNobody() {
    use(rule(tpm(), slots(1)).dryRun(true));
    int holding = held();
    Verdict second = ask();
    assertTrue(second.allowed());
    assertEquals(Verdict.NOTHING_HELD, second.holding());
    end(holding, 900);
    assertEquals(19_100, left(0));
    assertEquals(1, left(1));
  }

  @Test
  void aRequestHoldsByTheLimitsOfAllAndByADryRun() {
    RuleSpec all = RuleSpec.ofEverywhere(List.of(slots(2).name("all").key(KeySpec.ALL)));
    RuleSpec own = rule(tpm()).key(KeySpec.ALL).path(PathPattern.parse("/r")).dryRun(true).build();
    handler.publish(RuleSet.compile(List.of(own), all, false, RuleSet.EMPTY, 0, 1));
    Verdict verdict = ask();
    assertEquals(List.of(TOKENS), List.of(verdict.reportedCosts()));
    int first = verdict.holding();
    assertEquals(1, handler.holdings.takenCount(), "one for both");
    int second = held();
    assertEquals(12_000, left(0));
    assertEquals(RefusalReason.OVER_LIMIT, ask().refusal());
    end(first, 100);
    end(second, 200);
    assertEquals(19_700, left(0));
    assertEquals(2, left(1));
    assertEquals(0, handler.holdings.takenCount());
  }

  @Test
  void aDryRunThatWouldRefuseLeavesWhatTheLimitsOfAllHold() {
    RuleSpec all = RuleSpec.ofEverywhere(List.of(slots(3).name("all").key(KeySpec.ALL)));
    RuleSpec own =
        rule(slots(1)).key(KeySpec.ALL).path(PathPattern.parse("/r")).dryRun(true).build();
    handler.publish(RuleSet.compile(List.of(own), all, false, RuleSet.EMPTY, 0, 1));
    int first = held();
    int second = held();
    assertEquals(1, left(1));
    end(second);
    assertEquals(2, left(1));
    assertEquals(0, left(0));
    end(first);
    assertEquals(1, left(0));
    assertEquals(3, left(1));
  }

  @Test
  void holdsAndSettlesWithoutAllocation() {
    use(
        rule(
            limit("1000000000/365d").name("hourly"),
            limit("1000000000/365d").name("tpm").cost(tokens(40)),
            slots(9)));
    for (int i = 0; i < 20_000; i++) {
      end(held(), 3);
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    RequestEnd own = new RequestEnd();
    Question mine = new Question();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 20_000; i++) {
      Verdict verdict = handler.ask(mine.traffic(REQUEST), null, 1).verdict();
      own.set(How.COMPLETE).times(1, 1, 1).holding(verdict.holding()).costReported(3L);
      handler.ended(Admission.SETTLED, own);
    }
    long bytes = threads.getCurrentThreadAllocatedBytes() - before;
    assertTrue(bytes < 20_000, bytes + " bytes");
    assertEquals(9, left(2));
  }
}
