package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.RuleCounters;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
import dev.weir.proxy.store.map.Topology;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A caller that has no request beside traffic, on one event loop's admission: it names a rule and
 * gives identities and costs, and its budgets are those of traffic.
 */
class SecondCallerTest {
  private static final long DEADLINE_NS = TimeUnit.MILLISECONDS.toNanos(16);

  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 16);
  private final LoopMetrics metrics = new Metrics().newLoop();
  private final ModelServer server = new ModelServer(1);
  private final ModelStore store =
      new ModelStore(List.of(server), List.of(), false, metrics.store(), DEADLINE_NS);
  private final Question traffic = new Question();
  private final Question question = new Question();
  private final Told told = new Told();
  private AdmissionHandler admission;

  @AfterEach
  void close() {
    store.close();
    tables.close();
  }

  private void start(Mode mode, OnStoreFailure onStoreFailure, BudgetSpec.Builder... limits) {
    RuleSpec rule =
        RuleSpec.builder("r")
            .mode(mode)
            .onStoreFailure(onStoreFailure)
            .limits(List.of(limits))
            .build();
    admission = ModelAdmission.of(store, Topology.STANDALONE, DEADLINE_NS, tables, metrics, rule);
  }

  private void start(Mode mode) {
    start(mode, null, limit("10/365d", "header:x-user"));
  }

  private static BudgetSpec.Builder limit(String rate, String key) {
    return new BudgetSpec.Builder()
        .algorithm(Algorithm.FIXED_WINDOW)
        .rate(Rate.parse(rate))
        .key(KeySpec.parse(key));
  }

  /** Keeps what it is told, as a caller does that answers later. */
  private static final class Told implements VerdictListener {
    private final Verdict verdict = new Verdict();
    private int count;

    @Override
    public void decided(long ticket, Verdict late) {
      verdict.set(late).addRows(late);
      count++;
    }
  }

  private Question start(Operation operation) {
    return question
        .start(operation, Purpose.DECISION)
        .rule("r")
        .identity("header:x-user", bytes("ann"), 0, 3);
  }

  private static UnsafeBuffer bytes(String text) {
    return new UnsafeBuffer(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** Asks, and has the store answer what is asked of it. */
  private Verdict ask(Question of) {
    int before = told.count;
    Asked asked = admission.ask(of, told, store.clock().nowNs());
    if (asked.verdict() != null) {
      assertEquals(before, told.count, "what is known at once is told nobody");
      told.decided(asked.ticket(), asked.verdict());
    }
    answerAll();
    assertEquals(before + 1, told.count);
    return told.verdict;
  }

  private void answerAll() {
    while (server.pendingCount() > 0) {
      server.answer();
    }
  }

  private Verdict get(String user) {
    return ask(traffic.traffic(TextRequest.of("GET", "/", "x-user", user)));
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void looksChargesAndGivesBackTheBudgetOfTraffic(Mode mode) {
    start(mode);
    assertTrue(get("ann").allowed());
    Verdict peeked = ask(start(Operation.PEEK).cost(9));
    assertTrue(peeked.allowed());
    assertEquals("r", peeked.ruleId());
    assertEquals(10, peeked.limit());
    assertEquals(1, peeked.current());
    assertEquals(Verdict.State.NORMAL, peeked.state());

    Verdict checked = ask(start(Operation.CHECK).cost(7));
    assertTrue(checked.allowed());
    assertEquals(2, checked.remaining());
    assertEquals(Verdict.State.WARNING, checked.state());
    assertEquals(1, get("ann").remaining());
    assertEquals(9, get("eve").remaining());

    Verdict tooMuch = ask(start(Operation.CHECK).cost(2));
    assertEquals(RefusalReason.OVER_LIMIT, tooMuch.refusal());
    assertEquals(Verdict.State.THROTTLED, tooMuch.state());
    assertTrue(tooMuch.retryAfterNs() > 0);
    assertFalse(ask(start(Operation.PEEK).cost(2)).allowed());
    assertTrue(ask(start(Operation.PEEK).cost(1)).allowed(), "a refusal charges nothing");

    assertTrue(ask(start(Operation.RESET)).allowed());
    assertEquals(9, get("ann").remaining());
    assertEquals(8, get("eve").remaining(), "the other's stays");
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void isNotCountedAsTraffic(Mode mode) {
    start(mode);
    get("ann");
    ask(start(Operation.CHECK).cost(9));
    ask(start(Operation.CHECK));
    ask(start(Operation.CHECK)); // in mode exact by what the store has said
    RuleCounters counters = metrics.rule("r");
    assertEquals(1, counters.count(RuleCounters.Outcome.ALLOWED));
    assertEquals(0, counters.count(RuleCounters.Outcome.REFUSED));
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void takesOfEachLimitItsOwnCostOrNothing(Mode mode) {
    start(mode, null, limit("3/365d", "header:x-user"), limit("100/364d", "header:x-user"));
    assertTrue(ask(start(Operation.CHECK).cost(0, 1).cost(1, 60)).allowed());
    Verdict refused = ask(start(Operation.CHECK).cost(0, 1).cost(1, 50));
    assertFalse(refused.allowed());
    assertEquals("r-364d", refused.policy().name());
    Verdict rows = ask(start(Operation.PEEK).cost(0, 2).cost(1, 40).wantsRows());
    assertTrue(rows.allowed());
    assertEquals(2, rows.row(0).remaining());
    assertEquals(40, rows.row(1).remaining());
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void tellsTheFiguresOfEveryLimitInTheRulesOrder(Mode mode) {
    start(mode, null, limit("5/365d", "header:x-user"), limit("20/365d", "header:x-group"));
    start(Operation.CHECK).identity("header:x-group", bytes("admins"), 0, 6);
    Verdict checked = ask(question.cost(5).wantsRows());
    assertTrue(checked.allowed());
    assertEquals("r-365d-header.x-user", checked.policy().name(), "the one with the least left");
    for (int limit = 0; limit < 2; limit++) {
      assertTrue(checked.row(limit).allowed());
      assertEquals(limit == 0 ? 5 : 20, checked.row(limit).limit());
      assertEquals(limit == 0 ? 0 : 15, checked.row(limit).remaining());
    }
    assertNull(checked.row(2));
    start(Operation.CHECK).identity("header:x-group", bytes("admins"), 0, 6);
    Verdict refused = ask(question.cost(5).wantsRows());
    assertFalse(refused.allowed());
    assertFalse(refused.row(0).allowed());
    assertTrue(refused.row(0).retryAfterNs() > 0);
    assertTrue(refused.row(1).allowed());
    assertEquals(15, refused.row(1).remaining());
    assertNull(ask(start(Operation.PEEK)).row(0), "nobody has asked for them");
  }

  @Test
  void aRuleThatIsNotThereLimitsNobody() {
    start(Mode.LOCAL);
    Verdict verdict = ask(question.start(Operation.CHECK, Purpose.DECISION).rule("other"));
    assertTrue(verdict.allowed());
    assertNull(verdict.ruleId());
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void findsTheRuleByTheEndpointAndTakesTheIdentityThatIsGiven(Mode mode) {
    start(mode);
    get("ann");
    question
        .start(Operation.PEEK, Purpose.DECISION)
        .request(TextRequest.of("POST", "/orders", "x-user", "eve"))
        .identity("header:x-user", bytes("ann"), 0, 3);
    assertEquals(9, ask(question).remaining());
  }

  @Test
  void itsDeadlineCoversWhatItWaitsFor() {
    start(Mode.EXACT, OnStoreFailure.CLOSED, limit("10/365d", "header:x-user"));
    long nowNs = store.clock().nowNs();
    admission.ask(start(Operation.CHECK).deadlineNs(nowNs + DEADLINE_NS / 4), told, nowNs);
    store.pass(DEADLINE_NS / 4 - 1);
    assertEquals(0, told.count);
    store.pass(1 + TimeUnit.MILLISECONDS.toNanos(1));
    assertEquals(RefusalReason.STORE_UNAVAILABLE, told.verdict.refusal());
    question.deadlineNs(store.clock().nowNs());
    Verdict atOnce = admission.ask(question, told, store.clock().nowNs()).verdict();
    assertEquals(RefusalReason.STORE_UNAVAILABLE, atOnce.refusal(), "it is over");
  }

  @Test
  void aResetThatTheStoreDoesNotHearOfFails() {
    start(Mode.EXACT, OnStoreFailure.OPEN, limit("10/365d", "header:x-user"));
    server.lose(false);
    assertEquals(RefusalReason.STORE_UNAVAILABLE, ask(start(Operation.RESET)).refusal());
    assertTrue(ask(start(Operation.CHECK)).allowed(), "that is what its policy is for");
  }

  @ParameterizedTest
  @EnumSource(OnStoreFailure.class)
  void aResetIsToldWhateverWouldDecideWithoutTheStore(OnStoreFailure policy) {
    start(Mode.EXACT, policy, limit("10/365d", "header:x-user"));
    ask(start(Operation.CHECK).cost(10));
    assertTrue(ask(start(Operation.RESET)).allowed());
    assertEquals(9, get("ann").remaining());
  }

  @Test
  void whatIsKeptOfACheckWithRowsIsWhatItWasCharged() {
    start(Mode.EXACT, null, limit("10/365d", "header:x-user"), limit("20/365d", "header:x-group"));
    start(Operation.CHECK).identity("header:x-group", bytes("admins"), 0, 6).cost(4).wantsRows();
    int[] kept = {Admission.NOTHING_KEPT};
    Asked asked =
        admission.ask(question, (of, late) -> kept[0] = admission.keep(), store.clock().nowNs());
    assertNull(asked.verdict());
    server.answer(); // the check; its figures are asked for behind it
    admission.ask(
        traffic.traffic(TextRequest.of("GET", "/", "x-user", "eve", "x-group", "users")),
        told,
        store.clock().nowNs());
    answerAll();
    admission.giveBack(kept[0]);
    answerAll();
    assertEquals(Map.of("ann", 0L, "admins", 0L, "eve", 1L, "users", 1L), server.charges());
  }

  @Test
  void takesNoCostThatIsNone() {
    for (long cost : new long[] {-1, Long.MIN_VALUE, Question.MAX_COST + 1, Long.MAX_VALUE}) {
      start(Operation.CHECK);
      assertThrows(IllegalArgumentException.class, () -> question.cost(cost));
      assertThrows(IllegalArgumentException.class, () -> question.cost(1, cost));
    }
    assertThrows(IllegalArgumentException.class, () -> question.cost(-1, 1));
    assertThrows(IllegalArgumentException.class, () -> question.cost(Question.MAX_COSTS, 1));
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void theHighestCostsOfManyThatComeTogetherNeverPass(Mode mode) {
    start(mode, null, limit("3/365d", "header:x-user"), limit("100/364d", "header:x-user"));
    int before = told.count;
    for (int i = 0; i < 4096; i++) {
      start(Operation.CHECK).cost(1, Question.MAX_COST);
      Asked asked = admission.ask(question, told, store.clock().nowNs());
      if (asked.verdict() != null) {
        told.decided(asked.ticket(), asked.verdict());
      }
    }
    answerAll();
    assertEquals(before + 4096, told.count);
    assertFalse(told.verdict.allowed());
    assertEquals(2, get("ann").remaining());
    assertEquals(List.of(), server.faults());
  }

  @Test
  void aClientThatLeavesWhileTheStoreIsAskedLeavesItsChargeBehind() {
    start(Mode.EXACT);
    long ticket =
        admission.ask(start(Operation.CHECK).cost(4), told, store.clock().nowNs()).ticket();
    admission.ended(ticket, new RequestEnd().set(RequestEnd.How.CLIENT_GONE));
    server.answer();
    assertEquals(0, told.count);
    assertEquals(6, ask(start(Operation.PEEK)).remaining());
  }
}
