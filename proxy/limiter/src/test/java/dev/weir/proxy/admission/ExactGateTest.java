package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.CostAtEnd;
import dev.weir.proxy.rule.spec.CostSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
import dev.weir.proxy.store.map.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Refusals that are remembered, and questions that are asked again. */
class ExactGateTest {
  private static final long DEADLINE_NS = TimeUnit.MILLISECONDS.toNanos(16);
  private static final long DAY_NS = TimeUnit.DAYS.toNanos(1);

  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 16);
  private final LoopMetrics metrics = new Metrics().newLoop();
  private final ModelServer server = new ModelServer(1);
  private final ModelServer other = new ModelServer(2);
  private final Question question = new Question();
  private ModelStore store;
  private AdmissionHandler admission;
  private final List<String> told = new ArrayList<>();

  private void start(Topology topology, List<ModelServer> servers, BudgetSpec.Builder... budgets) {
    store = new ModelStore(servers, List.of(), false, metrics.store(), DEADLINE_NS);
    RuleSpec rule = rule(budgets);
    admission = ModelAdmission.of(store, topology, DEADLINE_NS, tables, metrics, rule);
  }

  private static RuleSpec rule(BudgetSpec.Builder... budgets) {
    return RuleSpec.builder("r")
        .limits(List.of(budgets))
        .mode(Mode.EXACT)
        .onStoreFailure(OnStoreFailure.CLOSED)
        .build();
  }

  private void startWithOneServer() {
    start(Topology.STANDALONE, List.of(server), budget("1/365d", "header:x-user"));
  }

  private static BudgetSpec.Builder budget(String rate, String key) {
    return new BudgetSpec.Builder()
        .algorithm(Algorithm.FIXED_WINDOW)
        .rate(Rate.parse(rate))
        .key(KeySpec.parse(key));
  }

  @AfterEach
  void close() {
    store.close();
    tables.close();
  }

  @Test
  void aRefusalIsForgottenWhenWhatWasGrantedTooLateHasBeenGivenBack() {
    startWithOneServer();
    ask("late");
    store.pass(DEADLINE_NS / 2);
    ask("beside"); // is gathered
    store.pass(TimeUnit.MILLISECONDS.toNanos(2));
    ask("refused"); // takes it along, in a call that is executed before the refund
    store.pass(DEADLINE_NS / 2);
    assertEquals(List.of("late STORE_UNAVAILABLE"), told);
    server.answer();
    server.answer();
    assertEquals(List.of("beside OVER_LIMIT", "refused OVER_LIMIT"), told.subList(1, 3));
    server.answer(); // the refund
    ask("next");
    server.answer();
    assertEquals("next allowed", told.get(3));
  }

  @Test
  void eightCallsAndABatchWaitForAServerAndNoMore() {
    startWithOneServer();
    int waiting = 1 + 8 * 256; // the first goes at once
    for (int user = 0; user < waiting; user++) {
      ask("waits", "x-user", "u" + user);
    }
    assertEquals(List.of(), told);
    assertEquals(8, server.pendingCount());
    ask("one more", "x-user", "another");
    assertEquals(List.of("one more STORE_UNAVAILABLE"), told);
    server.answer();
    ask("goes on", "x-user", "a third");
    assertEquals(8, server.pendingCount(), "the batch that was full is on its way");
  }

  @Test
  void questionsOfClientsThatHaveGoneCountUntilTheStoreHasAnswered() {
    List<ModelServer> servers = IntStream.rangeClosed(1, 20).mapToObj(ModelServer::new).toList();
    start(Topology.SHARDED, servers, budget("1/365d", "header:x-user"));
    RequestEnd gone = new RequestEnd();
    for (int user = 0; user < AdmissionHandler.MAX_LATE; user++) {
      question.traffic(TextRequest.of("GET", "/", "x-user", "u" + user));
      Asked asked = admission.ask(question, new Client("gone"), store.clock().nowNs());
      assertNull(asked.verdict(), "user " + user);
      admission.ended(asked.ticket(), gone);
    }
    ask("one more", "x-user", "another");
    assertEquals(List.of("one more STORE_UNAVAILABLE"), told);
    servers.get(0).answer();
    ask("waits", "x-user", "another");
    assertEquals(List.of("one more STORE_UNAVAILABLE"), told);
  }

  @Test
  void aRefusalIsAskedForAnewWithinSecondsAndTellsTheWholeWait() {
    startWithOneServer();
    ask("first");
    server.answer();
    ask("refused");
    server.answer();
    int before = server.executed().size();
    store.pass(TimeUnit.SECONDS.toNanos(5) - 1);
    ask("proven");
    assertEquals(0, server.pendingCount(), "nothing is asked");
    assertTrue(retryAfterNs > DAY_NS - TimeUnit.SECONDS.toNanos(6), retryAfterNs + " ns");
    server.forget(); // somebody else's refund
    store.pass(2);
    ask("anew");
    server.answer();
    assertEquals(before + 1, server.executed().size());
    assertEquals(
        List.of("first allowed", "refused OVER_LIMIT", "proven OVER_LIMIT", "anew allowed"), told);
  }

  @Test
  void aBudgetGivenBackByHandIsForgottenByItsNameAndNoOther() {
    startWithOneServer();
    for (String user : List.of("alice", "bob")) {
      ask(user, "x-user", user);
      server.answer();
      ask(user, "x-user", user);
      server.answer();
    }
    server.forget();
    store.forget(nameOf("alice"));
    store.pass(1);
    ask("bob", "x-user", "bob");
    assertEquals(0, server.pendingCount(), "nothing is asked");
    ask("alice", "x-user", "alice");
    server.answer();
    assertEquals(List.of("bob OVER_LIMIT", "alice allowed"), told.subList(4, 6));
  }

  /** The name of a user's budget in the store, as it was asked for. */
  private String nameOf(String user) {
    String check =
        server.executed().stream().filter(one -> one.contains(":" + user + ":")).findFirst().get();
    return check.substring(check.indexOf('[') + 1, check.indexOf(']'));
  }

  @Test
  void doesNotAskAgainWithoutTheChargesOfTheKeysBefore() {
    start(
        Topology.SHARDED,
        List.of(server, other),
        budget("10/365d", "header:x-user"),
        budget("1/365d", "header:x-group"));
    String name = "0";
    for (int i = 1; !isApart(name); i++) {
      name = "" + i;
      ask("first", "x-user", "u" + name, "x-group", "g" + name);
      answerAll();
    }
    told.clear();
    ask("second", "x-user", "u" + name, "x-group", "g" + name);
    other.answer(); // refuses
    server.lose(false); // so it is not known whether the other key was charged
    other.forget(); // there would be room, were it asked again
    for (int i = 0; i < 16; i++) {
      store.pass(DEADLINE_NS / 16);
      answerAll();
    }
    assertEquals(List.of("second OVER_LIMIT"), told);
  }

  @Test
  void whoOnlyLooksOwesNothing() {
    store = new ModelStore(List.of(server, other), List.of(), false, metrics.store(), DEADLINE_NS);
    RuleSpec open =
        RuleSpec.builder("r")
            .limits(List.of(budget("10/365d", "header:x-user"), budget("9/365d", "header:x-group")))
            .mode(Mode.EXACT)
            .onStoreFailure(OnStoreFailure.OPEN)
            .build();
    admission = ModelAdmission.of(store, Topology.SHARDED, DEADLINE_NS, tables, metrics, open);
    server.opensAtOnce = false;
    other.opensAtOnce = false;
    server.lose(false);
    other.lose(false);
    look();
    for (ModelServer each : List.of(server, other)) {
      each.opensAtOnce = true;
      each.open();
    }
    for (int round = 0; round < 9; round++) { // an answer tells the time, which debts need
      look();
      answerAll();
      store.pass(TimeUnit.SECONDS.toNanos(1));
      answerAll();
    }
    assertTrue(server.executed().size() > 0 && other.executed().size() > 0);
    assertEquals(List.of(), server.debts());
    assertEquals(List.of(), other.debts());
  }

  private void look() {
    for (int i = 0; i < 20; i++) {
      question
          .start(Operation.PEEK, Purpose.OPERATOR)
          .request(TextRequest.of("GET", "/", "x-user", "u" + i, "x-group", "g" + i));
      admission.ask(question, new Client("look"), store.clock().nowNs());
    }
  }

  private boolean isApart(String name) {
    return server.charges().containsKey("u" + name) && other.charges().containsKey("g" + name);
  }

  private void answerAll() {
    for (ModelServer each : List.of(server, other)) {
      while (each.pendingCount() > 0) {
        each.answer();
      }
    }
  }

  @Test
  void aRefusalUnderALowerNumberProvesNothingUnderAHigher() {
    startWithOneServer();
    RuleSpec lower = rule(budget("1/365d", "header:x-user"));
    RuleSpec higher = rule(budget("2/365d", "header:x-user"));
    RuleSet rules = RuleSet.compile(List.of(lower), false, RuleSet.EMPTY, 0);
    admission.publish(rules);
    ask("first");
    server.answer();
    ask("refused");
    server.answer();
    admission.publish(RuleSet.compile(List.of(higher), false, rules, 0));
    ask("more");
    assertEquals(1, server.pendingCount());
    server.answer();
    assertEquals(List.of("first allowed", "refused OVER_LIMIT", "more allowed"), told);
  }

  @Test
  void aRefusalThatWasOnItsWayWhenBudgetsWereGivenBackByHandProvesNothing() {
    startWithOneServer();
    ask("first");
    server.answer();
    ask("refused"); // and the server has decided, but its answer is not here yet
    store.forget();
    server.answer();
    server.forget();
    ask("next");
    assertEquals(1, server.pendingCount());
    server.answer();
    assertEquals(List.of("first allowed", "refused OVER_LIMIT", "next allowed"), told);
  }

  @Test
  void aCheckWithoutAnEndNeedsNoSlot() {
    start(Topology.STANDALONE, List.of(server), slots("all"), tokens("all"));
    ask("first");
    answerAll();
    ask("second");
    answerAll();
    check("check");
    answerAll();
    check("again");
    answerAll();
    assertEquals(
        List.of("first allowed", "second OVER_LIMIT", "check allowed", "again OVER_LIMIT"), told);
  }

  @Test
  void aCheckPassesWhereOnlyRequestsInFlightAreLimited() {
    start(Topology.STANDALONE, List.of(server), slots("header:x-user"));
    ask("first");
    answerAll();
    check("check");
    assertEquals(0, server.pendingCount());
    assertEquals(List.of("first allowed", "check allowed"), told);
  }

  @Test
  void aMessageHoldsNothingBesideItsRequest() {
    BudgetSpec.Builder messages = budget("2/365d", "all").name("messages");
    start(Topology.STANDALONE, List.of(server), messages, slots("all"), tokens("all"));
    ask("request");
    answerAll();
    for (String name : List.of("message", "too many")) {
      ask(name, question.message(TextRequest.of("GET", "/")));
      answerAll();
    }
    assertEquals(List.of("request allowed", "message allowed", "too many OVER_LIMIT"), told);
  }

  @Test
  void aLimitThatHoldsKeepsNoRecordOfAnIdempotencyKey() {
    start(Topology.STANDALONE, List.of(server), tokens("all"));
    UnsafeBuffer key = new UnsafeBuffer(new byte[1]);
    question.start(Operation.CHECK, Purpose.DECISION).request(TextRequest.of("GET", "/"));
    ask("check", question.once(key, 0, 1));
    assertEquals(List.of("check NOT_DECIDED_ONCE"), told);
  }

  private static BudgetSpec.Builder slots(String key) {
    return new BudgetSpec.Builder().name("slots").concurrency(1).key(KeySpec.parse(key));
  }

  /** Two requests at most, each of which holds half of it. */
  private static BudgetSpec.Builder tokens(String key) {
    ReportedCost cost = ReportedCost.ofTrailer(FieldName.of("x-tokens"));
    return budget("20/365d", key)
        .name("tokens")
        .cost(CostSpec.ofReported(CostAtEnd.of(cost).reserving(10)));
  }

  private long retryAfterNs;

  private void check(String name) {
    ask(
        name,
        question.start(Operation.CHECK, Purpose.DECISION).request(TextRequest.of("GET", "/")));
  }

  private void ask(String name) {
    ask(name, "x-user", "u");
  }

  private void ask(String name, String... fields) {
    ask(name, question.traffic(TextRequest.of("GET", "/", fields)));
  }

  private void ask(String name, Question question) {
    Client client = new Client(name);
    long nowNs = store.clock().nowNs();
    Asked asked = admission.ask(question, client, nowNs);
    if (asked.verdict() != null) {
      client.decided(asked.ticket(), asked.verdict());
    }
  }

  private final class Client implements VerdictListener {
    private final String name;

    Client(String name) {
      this.name = name;
    }

    @Override
    public void decided(long ticket, Verdict verdict) {
      retryAfterNs = verdict.retryAfterNs();
      told.add(name + ' ' + (verdict.allowed() ? "allowed" : verdict.refusal()));
    }
  }
}
