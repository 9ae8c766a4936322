package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asker;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Algorithm;
import dev.weir.proxy.rule.BudgetSpec;
import dev.weir.proxy.rule.KeySpec;
import dev.weir.proxy.rule.Mode;
import dev.weir.proxy.rule.OnStoreFailure;
import dev.weir.proxy.rule.Rate;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.RuleSpec;
import dev.weir.proxy.rule.TextRequest;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
import dev.weir.proxy.store.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is decided by hand and what by the store, in a time of its own. */
class LeasedGateTest {
  private static final long MS = 1_000_000;
  private static final long DEADLINE_NS = 5 * MS;

  /** Of a window of a year. */
  private static final long LIFE_NS = 2_000 * MS;

  private final LoopMetrics metrics = new Metrics().newLoop();
  private final LimitTables tables =
      LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 128);
  private final ModelServer server = new ModelServer(1);
  private final Question question = new Question();
  private final ModelStore store =
      new ModelStore(List.of(server), List.of(), false, metrics.store(), DEADLINE_NS);
  private final List<String> told = new ArrayList<>();
  private RuleSet rules = RuleSet.EMPTY;
  private AdmissionHandler admission;
  private int passed;
  private long remaining;
  private boolean keepsNext;
  private int keptCount;

  @BeforeEach
  void start() {
    RuleSpec first = rule(Mode.LEASED, "100000/365d");
    admission = ModelAdmission.of(store, Topology.STANDALONE, DEADLINE_NS, tables, metrics, first);
    publish(first);
  }

  private static RuleSpec rule(Mode mode, String... rates) {
    List<BudgetSpec.Builder> limits = new ArrayList<>();
    for (String rate : rates) {
      limits.add(
          new BudgetSpec.Builder()
              .algorithm(Algorithm.FIXED_WINDOW)
              .rate(Rate.parse(rate))
              .key(KeySpec.parse(limits.isEmpty() ? "header:x-user" : "header:x-group")));
    }
    return RuleSpec.builder("r")
        .limits(limits)
        .mode(mode)
        .onStoreFailure(OnStoreFailure.CLOSED)
        .build();
  }

  private void publish(RuleSpec rule) {
    rules = RuleSet.compile(List.of(rule), false, rules, 0);
    rules.succeed();
    admission.publish(rules);
    rules.completeAdoption();
  }

  @AfterEach
  void close() {
    assertEquals(List.of(), server.faults());
    store.close();
    tables.close();
  }

  private boolean ask() {
    return ask(question.traffic(TextRequest.of("GET", "/", "x-user", "u", "x-group", "g")));
  }

  /** Asks; whether the verdict was known at once. */
  private boolean ask(Question of) {
    Client client = new Client();
    long ticket = admission.ask(of, client, store.clock().nowNs());
    if (ticket == Admission.SETTLED) {
      client.decided(ticket, admission.verdict());
    }
    return ticket == Admission.SETTLED;
  }

  private final class Client implements Asker {
    @Override
    public void decided(long ticket, Verdict verdict) {
      passed += verdict.allowed() ? 1 : 0;
      remaining = verdict.remaining();
      if (keepsNext) {
        keptCount++;
        admission.giveBack(admission.keep());
      }
      told.add(verdict.allowed() ? "allowed" : verdict.refusal().name());
    }
  }

  private void answerAll() {
    while (server.pendingCount() > 0) {
      server.answer();
    }
  }

  /** Asks so often, a millisecond apart, and is answered; how many were decided at once. */
  private int load(int count) {
    int atOnce = 0;
    for (int i = 0; i < count; i++) {
      atOnce += ask() ? 1 : 0;
      answerAll();
      store.pass(MS);
    }
    return atOnce;
  }

  private long charged() {
    return server.charges().getOrDefault("u", 0L);
  }

  /** Has units in hand, and nothing on the way. */
  private void lease() {
    load(100);
    assertTrue(charged() > passed, charged() + " for " + passed);
    server.executed().clear();
  }

  @Test
  void aBusyKeyIsDecidedByHandAndWhatIsLeftGoesBack() {
    int atOnce = load(300);
    assertTrue(atOnce > 250, "at once: " + atOnce);
    assertEquals(300, passed);
    assertTrue(charged() > 300);
    store.pass(LIFE_NS + Leases.SWEEP_NS);
    answerAll();
    assertEquals(300, charged());
  }

  @Test
  void aKeyThatSeldomComesKeepsNothing() {
    for (int i = 0; i < 50; i++) {
      assertFalse(ask());
      answerAll();
      store.pass(600 * MS);
    }
    assertEquals(50, charged());
  }

  @Test
  void neverMoreThanTheLimitAndAllOfItInTheEnd() {
    for (int limit : new int[] {1, 2, 19, 20, 21}) {
      server.forget();
      passed = 0;
      publish(rule(Mode.LEASED, limit + "/365d"));
      load(100);
      store.pass(LIFE_NS + Leases.SWEEP_NS);
      answerAll();
      store.pass(5_000 * MS); // no refusal is proven any more
      load(100);
      assertEquals(limit, passed);
    }
  }

  @Test
  void anAnswerThatIsLateBringsItsUnits() {
    lease();
    while (server.pendingCount() == 0) {
      ask();
      store.pass(MS / 10);
    }
    final int before = passed;
    store.pass(DEADLINE_NS);
    answerAll();
    for (int i = 0; i < 10; i++) {
      assertTrue(ask(), "by hand");
    }
    assertEquals(before + 10, passed);
  }

  @Test
  void aReplyThatIsLostCostsItsAskAndSilencesNobody() {
    lease();
    while (server.pendingCount() == 0) {
      ask();
      store.pass(MS / 10);
    }
    server.lose(true);
    final long lost = charged();
    store.pass(3_000 * MS);
    answerAll();
    assertTrue(load(200) > 100);
    assertTrue(charged() >= lost);
  }

  @Test
  void aConnectionThatBreaksTakesNothingAwayAndTheHandGoesOnWithoutTheStore() {
    lease();
    server.opensAtOnce = false;
    server.lose(false);
    int before = passed;
    assertTrue(ask());
    assertEquals(before + 1, passed);
    for (int i = 0; i < 1_000 && told.get(told.size() - 1).equals("allowed"); i++) {
      assertTrue(ask());
    }
    assertEquals("STORE_UNAVAILABLE", told.get(told.size() - 1));
  }

  /** Demand is there, the hand is empty, and nothing is on the way. */
  private void emptyHand() {
    emptyHand(300);
  }

  private void emptyHand(int requests) {
    load(requests);
    store.pass(LIFE_NS + Leases.SWEEP_NS);
    answerAll();
    assertEquals(passed, charged());
    server.executed().clear();
    told.clear();
  }

  @Test
  void requestsThatFindTheHandEmptyWaitForTheAskUnderWayAndTakeWhatItBrings() {
    emptyHand();
    for (int i = 0; i < 20; i++) {
      assertFalse(ask());
    }
    assertEquals(1, server.pendingCount());
    server.answer();
    assertEquals(Collections.nCopies(20, "allowed"), told);
    assertEquals(1, server.executed().size(), server.executed().toString());
    assertEquals(0, server.pendingCount());
    store.pass(LIFE_NS + Leases.SWEEP_NS);
    answerAll();
    assertEquals(passed, charged());
  }

  @Test
  void requestsWaitForAnAskAheadToo() {
    lease();
    while (server.pendingCount() == 0) {
      ask();
      store.pass(MS / 10);
    }
    while (ask()) {
      // by hand
    }
    told.clear();
    assertFalse(ask());
    server.answer();
    assertEquals(List.of("allowed", "allowed"), told);
    assertEquals(1, server.executed().size());
  }

  @Test
  void thoseForWhomItWasNotEnoughAskOnceMoreTogetherInTheirOrder() {
    publish(rule(Mode.LEASED, "320/365d"));
    server.forget();
    passed = 0;
    emptyHand();
    assertEquals(300, charged());
    for (int i = 0; i < 30; i++) {
      assertFalse(ask());
    }
    server.answer(); // one, and 4 of the 19 that are left then
    assertEquals(Collections.nCopies(5, "allowed"), told);
    answerAll();
    assertEquals(Collections.nCopies(20, "allowed"), told.subList(0, 20));
    assertEquals(Collections.nCopies(10, "OVER_LIMIT"), told.subList(20, 30));
    assertEquals(2, server.executed().size(), server.executed().toString());
    assertEquals(320, charged());
  }

  @Test
  void noneWaitsForLongerThanHalfADeadline() {
    emptyHand();
    ask();
    store.pass(MS);
    ask();
    ask();
    store.pass(DEADLINE_NS / 2 - 2 * MS);
    assertEquals(1, server.pendingCount());
    store.pass(MS);
    assertEquals(2, server.pendingCount(), "asked for themselves, at once");
    assertFalse(ask());
    answerAll();
    assertEquals(Collections.nCopies(4, "allowed"), told);
  }

  @Test
  void whoWaitedInVainIsToldAtHisOwnDeadline() {
    emptyHand();
    ask();
    store.pass(MS);
    ask();
    store.pass(DEADLINE_NS - MS);
    assertEquals(List.of("STORE_UNAVAILABLE"), told);
    store.pass(MS - 1);
    assertEquals(1, told.size());
    store.pass(1);
    assertEquals(List.of("STORE_UNAVAILABLE", "STORE_UNAVAILABLE"), told);
    answerAll();
    store.pass(LIFE_NS + Leases.SWEEP_NS);
    answerAll();
    assertEquals(passed, charged());
  }

  @Test
  void whoIsGoneWhileItWaitedTakesNothing() {
    emptyHand();
    ask();
    Client gone = new Client();
    long ticket =
        admission.ask(
            question.traffic(TextRequest.of("GET", "/", "x-user", "u", "x-group", "g")),
            gone,
            store.clock().nowNs());
    ask();
    admission.ended(ticket, new RequestEnd().set(RequestEnd.How.CLIENT_GONE));
    answerAll();
    assertEquals(List.of("allowed", "allowed"), told);
    store.pass(LIFE_NS + Leases.SWEEP_NS);
    answerAll();
    assertEquals(passed, charged());
  }

  @Test
  void whatAWaitingRequestTookCanBeKeptAndGivenBack() {
    emptyHand();
    ask();
    ask();
    keepsNext = true;
    answerAll();
    assertEquals(2, keptCount);
    store.pass(LIFE_NS + Leases.SWEEP_NS);
    answerAll();
    assertEquals(passed - 2, charged());
  }

  @Test
  void whoWaitsWhenTheConnectionBreaksIsNotForgotten() {
    emptyHand();
    ask();
    ask();
    server.opensAtOnce = false;
    server.lose(false);
    assertEquals(List.of("STORE_UNAVAILABLE", "STORE_UNAVAILABLE"), told);
  }

  @Test
  void aBudgetThatIsGivenBackWhileRequestsWaitIsAskedForAnew() {
    emptyHand();
    ask();
    ask();
    store.forget();
    answerAll();
    assertEquals(List.of("allowed", "allowed"), told);
    assertEquals(2, server.executed().size());
  }

  @Test
  void rulesThatChangeWhileRequestsWaitLeaveThemTheirs() {
    emptyHand();
    ask();
    ask();
    publish(rule(Mode.LEASED, "200000/365d"));
    ask();
    answerAll();
    assertEquals(Collections.nCopies(3, "allowed"), told);
    store.pass(LIFE_NS + Leases.SWEEP_NS);
    answerAll();
    assertEquals(passed, charged());
  }

  @Test
  void aBudgetThatIsGivenBackByHandIsInNoHand() {
    lease();
    server.forget();
    store.forget();
    store.pass(1);
    assertFalse(ask());
    answerAll();
    store.pass(LIFE_NS + Leases.SWEEP_NS);
    answerAll();
    assertEquals(1, charged());
  }

  @Test
  void whatWasOnItsWayWhenABudgetWasGivenBackIsInNoHandEither() {
    lease();
    while (server.pendingCount() == 0) {
      ask();
      store.pass(MS / 10);
    }
    store.forget();
    answerAll();
    store.pass(1);
    assertFalse(ask());
    answerAll();
  }

  @Test
  void aResetIsInNoHand() {
    lease();
    question
        .start(Operation.RESET, Purpose.OPERATOR)
        .request(TextRequest.of("GET", "/", "x-user", "u"));
    ask(question);
    answerAll();
    assertFalse(ask());
  }

  @Test
  void aChangedLimitBitesAtOnceAndWindowsTakeBackWhatWasInHand() {
    lease();
    final int before = passed;
    publish(rule(Mode.LEASED, "200000/365d"));
    assertFalse(ask());
    answerAll();
    assertEquals(before + 1, charged());
  }

  @Test
  void aChangedModeHandsOutNothingFresh() {
    lease();
    publish(rule(Mode.EXACT, "100000/365d"));
    answerAll();
    assertEquals(passed, charged());
    assertFalse(ask());
    answerAll();
    publish(rule(Mode.LEASED, "100000/365d"));
    assertFalse(ask());
    answerAll();
    publish(rule(Mode.LOCAL, "100000/365d"));
    assertTrue(ask());
    answerAll();
    assertEquals(passed - 1, charged());
  }

  @Test
  void whatIsInHandGoesBackWhenTheProcessEnds() {
    lease();
    admission.ending();
    answerAll();
    assertEquals(passed, charged());
  }

  @Test
  void whatIsInMoreHandsThanTheStoreTakesAtOnceGoesBackInParts() {
    int users = 3_000;
    for (int round = 0; round < 15; round++) {
      for (int user = 0; user < users; user++) {
        ask(question.traffic(TextRequest.of("GET", "/", "x-user", "u" + user, "x-group", "g")));
        if (user % 200 == 0) {
          answerAll();
        }
      }
      answerAll();
      store.pass(MS);
    }
    int asks = users * 15;
    assertEquals(asks, passed);
    assertTrue(allCharged() > asks + 2_048, "kept: " + (allCharged() - asks));
    for (int i = 0; i < 100 && !admission.ending(); i++) {
      answerAll();
    }
    assertEquals(asks, allCharged());
  }

  private long allCharged() {
    return server.charges().values().stream().mapToLong(Long::longValue).sum();
  }

  @Test
  void unitsOfARequestThatDidNotPassAreInHandAgain() {
    lease();
    long before = charged();
    assertTrue(ask());
    long left = remaining;
    admission.giveBack(admission.keep());
    assertTrue(ask());
    assertEquals(left, remaining);
    store.pass(LIFE_NS + Leases.SWEEP_NS);
    answerAll();
    assertEquals(passed - 1, charged());
    assertTrue(before > charged());
  }

  @Test
  void severalKeysAreTakenFromAllHandsOrFromNone() {
    publish(rule(Mode.LEASED, "100000/365d", "100000/365d"));
    server.forget();
    passed = 0;
    assertTrue(load(300) > 200);
    assertEquals(300, passed);
    store.pass(LIFE_NS + Leases.SWEEP_NS);
    answerAll();
    assertEquals(300, charged());
    assertEquals(300, server.charges().get("g"));
  }

  @Test
  void aKeyOfSeveralThatIsExhaustedIsNotAskedAboutWithEachRequest() {
    publish(rule(Mode.LEASED, "100000/365d", "10/365d"));
    server.forget();
    passed = 0;
    load(100);
    assertEquals(10, passed);
    server.executed().clear();
    load(200);
    assertEquals(10, passed);
    int asked = server.executed().size();
    assertTrue(asked < 20, "asked " + asked + " times");
  }

  @Test
  void whatWasInHandWhileTheMachineStoodStillIsDropped() {
    lease();
    store.standStill(LIFE_NS);
    store.pass(Leases.SWEEP_NS);
    answerAll();
    assertFalse(ask());
    answerAll();
  }

  @Test
  void whatWasOnItsWayWhileTheMachineStoodStillIsInNoHand() {
    lease();
    store.pass(LIFE_NS + Leases.SWEEP_NS);
    answerAll();
    assertFalse(ask()); // and some are to be kept beside it
    store.standStill(LIFE_NS);
    answerAll();
    store.pass(1);
    assertFalse(ask());
    answerAll();
  }

  @Test
  void aTimeOfDayInMillisecondsTakesNothingOutOfHandsOfShortLife() {
    BudgetSpec.Builder limit =
        new BudgetSpec.Builder()
            .algorithm(Algorithm.FIXED_WINDOW)
            .rate(Rate.parse("100000/365d"))
            .key(KeySpec.parse("header:x-user"))
            .leaseLifeNs(2 * MS);
    publish(
        RuleSpec.builder("r")
            .limits(List.of(limit))
            .mode(Mode.LEASED)
            .onStoreFailure(OnStoreFailure.CLOSED)
            .build());
    for (int i = 0; i < 5_000; i++) {
      ask();
      answerAll();
      store.pass(MS / 10 + 777);
    }
    store.pass(Leases.SWEEP_NS);
    answerAll();
    assertEquals(passed, charged());
  }

  @Test
  void besideALimitOfModeExactNothingIsKept() {
    List<BudgetSpec.Builder> limits =
        List.of(
            new BudgetSpec.Builder()
                .algorithm(Algorithm.FIXED_WINDOW)
                .rate(Rate.parse("100000/365d"))
                .key(KeySpec.parse("header:x-user")),
            new BudgetSpec.Builder()
                .algorithm(Algorithm.FIXED_WINDOW)
                .rate(Rate.parse("90000/365d"))
                .key(KeySpec.parse("header:x-group"))
                .mode(Mode.EXACT));
    publish(RuleSpec.builder("r").limits(limits).mode(Mode.LEASED).build());
    assertEquals(0, load(100));
    assertEquals(100, charged());
  }

  private Question peek() {
    return question
        .start(Operation.PEEK, Purpose.OPERATOR)
        .request(TextRequest.of("GET", "/", "x-user", "u"));
  }

  @Test
  void whatIsLeftIsWhatTheStoreSaysAndWhatIsInHand() {
    lease();
    final long used = passed;
    assertTrue(charged() > used);
    assertFalse(ask(peek()), "the store says it");
    answerAll();
    assertEquals(100_000 - used, remaining);
    assertFalse(ask(peek().wantsRows()));
    answerAll();
    assertEquals(100_000 - used, remaining);
  }

  @Test
  void aPeekAllowsWhatIsInHandThoughTheStoreHasNothingLeft() {
    publish(rule(Mode.LEASED, "40/365d"));
    server.forget();
    passed = 0;
    emptyHand(25);
    ask();
    answerAll();
    final long inHand = charged() - passed;
    assertTrue(inHand > 0);
    server.charge("u", 40 - charged());
    told.clear();
    ask(peek());
    answerAll();
    assertEquals(List.of("allowed"), told);
    assertEquals(inHand, remaining);
    for (int i = 0; i < inHand; i++) {
      assertTrue(ask());
    }
    told.clear();
    ask(peek());
    answerAll();
    assertEquals(List.of("OVER_LIMIT"), told);
    assertEquals(0, remaining);
  }
}
