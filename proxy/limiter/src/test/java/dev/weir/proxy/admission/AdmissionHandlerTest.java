package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.LatencyStep;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.RuleCounters;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.OnMissingKey;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AdmissionHandlerTest {
  private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);

  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 16);
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final EventLoop eventLoop = channel.eventLoop();
  private final HoldingGate holding = new HoldingGate();
  private final LoopClock clock = new LoopClock();
  private final LoopMetrics metrics = new Metrics().newLoop();
  private final LateGate late = new LateGate();
  private final Question question = new Question();
  private final RequestEnd end = new RequestEnd();

  @AfterEach
  void closeTable() {
    tables.close();
    channel.close();
  }

  @Test
  void allowsWhatTheLimitAllowsAndRefusesTheNext() {
    AdmissionHandler handler = handler(new LocalGate(tables), limit("3/1h").build());
    Recorder recorder = new Recorder();
    for (int i = 0; i < 5; i++) {
      assertEquals(Admission.SETTLED, admit(handler, request("/a"), recorder, clock.tick()));
    }
    assertEquals(
        List.of("allowed 2", "allowed 1", "allowed 0", "OVER_LIMIT", "OVER_LIMIT"), recorder.told);
  }

  @Test
  void decidesWhatItHasLookedAtBeforeAsItDoesAnyOther() {
    AdmissionHandler handler = handler(new LocalGate(tables), limit("3/1h").build());
    Question[] questions = new Question[100]; // more than are fetched at once
    for (int i = 1; i < questions.length; i++) {
      questions[i] = new Question().traffic(request("/a"));
    }
    handler.prefetch(questions, questions.length);
    int allowed = 0;
    for (int i = 1; i < questions.length; i++) {
      Verdict verdict = handler.ask(questions[i], new Recorder(), clock.tick()).verdict();
      allowed += verdict.allowed() ? 1 : 0;
    }
    assertEquals(3, allowed);
  }

  @Test
  void tellsTheTimesOfQuestionsTimedTogetherBehindTheLast() {
    Metrics all = new Metrics();
    AdmissionHandler handler =
        new AdmissionHandler(
            new LocalGate(tables), identities(), all.newLoop(), clock, eventLoop, 1);
    handler.publish(RuleSet.compile(List.of(limit("3/1h").build()), false, RuleSet.EMPTY, 0));
    for (int i = 0; i < 5; i++) {
      question.start(Operation.CHECK, Purpose.DECISION).request(request("/a")).timedTogether();
      assertNotNull(handler.ask(question, new Recorder(), clock.nowNs()).verdict());
    }
    assertEquals(0, all.latencies().summary(LatencyStep.DECISION).count());
    handler.endTogether();
    handler.endTogether();
    assertEquals(5, all.latencies().summary(LatencyStep.DECISION).count());
  }

  @Test
  void believesNothingThatItHasLookedAtUnderOtherRules() {
    AdmissionHandler handler = handler(new LocalGate(tables), limit("1/1h").build());
    admit(handler, request("/a"), new Recorder(), clock.tick());
    Question[] questions = {new Question().traffic(request("/a"))};
    handler.prefetch(questions, 1);
    handler.publish(RuleSet.EMPTY);
    assertTrue(handler.ask(questions[0], new Recorder(), clock.tick()).verdict().allowed());
  }

  @Test
  void believesNothingThatItHasLookedAtForAnotherQuestionSince() {
    AdmissionHandler handler = handler(new LocalGate(tables), limit("1/1h").build());
    RuleSpec few = limit("1/1h").path(PathPattern.parse("/few")).build();
    RuleSpec many =
        RuleSpec.builder("many").rate(Rate.parse("9/1h")).key(KeySpec.parse("ip")).build();
    handler.publish(RuleSet.compile(List.of(few, many), false, RuleSet.EMPTY, 0));
    Question[] first = {new Question().traffic(request("/few"))};
    Question[] second = {new Question().traffic(request("/many"))};
    handler.prefetch(first, 1);
    handler.prefetch(second, 1);
    assertEquals(1, handler.ask(first[0], new Recorder(), clock.tick()).verdict().limit());
    assertEquals(9, handler.ask(second[0], new Recorder(), clock.tick()).verdict().limit());
  }

  @Test
  void passesWhatNoRuleMatches() {
    AdmissionHandler handler =
        handler(new LocalGate(tables), limit("1/1h").path(PathPattern.parse("/limited")).build());
    Recorder recorder = new Recorder();
    admit(handler, request("/other"), recorder, clock.tick());
    admit(handler, request("/other"), recorder, clock.tick());
    assertEquals(List.of("allowed unlimited", "allowed unlimited"), recorder.told);
  }

  @Test
  void rehearsesADryRunAndPassesEveryRequest() {
    AdmissionHandler handler = handler(new LocalGate(tables), limit("1/1h").dryRun(true).build());
    Recorder recorder = new Recorder();
    for (int i = 0; i < 3; i++) {
      admit(handler, request("/a"), recorder, clock.tick());
    }
    assertEquals(List.of("allowed 0", "allowed unlimited", "allowed unlimited"), recorder.told);
    assertEquals(2, metrics.rule("r").count(RuleCounters.Outcome.DRY_RUN_REFUSED));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void countsWhatTheStoresAbsenceRefusesApartFromWhatALimitDoes(boolean dryRun) {
    AdmissionHandler handler = handler(late, limit("1/1h").dryRun(dryRun).build());
    admit(handler, request("/a"), new Recorder(), clock.tick());
    late.answer(0, new Verdict().refuse(RefusalReason.STORE_UNAVAILABLE));
    RuleCounters counters = metrics.rule("r");
    assertEquals(1, counters.count(RuleCounters.Outcome.STORE_UNAVAILABLE));
    assertEquals(0, counters.count(RuleCounters.Outcome.REFUSED));
    assertEquals(0, counters.count(RuleCounters.Outcome.DRY_RUN_REFUSED));
  }

  @ParameterizedTest
  @CsvSource({
    "false, NOT_DECIDED_ONCE",
    "false, IDEMPOTENCY_KEY_REUSED",
    "true, NOT_DECIDED_ONCE",
    "true, IDEMPOTENCY_KEY_REUSED"
  })
  void countsIdempotencyKeysThatCannotBeUsedApartFromWhatALimitRefuses(
      boolean dryRun, RefusalReason reason) {
    AdmissionHandler handler = handler(late, limit("1/1h").dryRun(dryRun).build());
    admit(handler, request("/a"), new Recorder(), clock.tick());
    late.answer(0, new Verdict().refuse(reason));
    RuleCounters counters = metrics.rule("r");
    assertEquals(1, counters.count(RuleCounters.Outcome.IDEMPOTENCY_REFUSED));
    assertEquals(0, counters.count(RuleCounters.Outcome.REFUSED));
    assertEquals(0, counters.count(RuleCounters.Outcome.DRY_RUN_REFUSED));
  }

  @Test
  void refusesWithoutAskingForABudgetWhatARuleDenies() {
    AdmissionHandler handler = handler(late, RuleSpec.builder("r").action(RuleAction.DENY).build());
    Recorder recorder = new Recorder();
    admit(handler, request("/a"), recorder, clock.tick());
    assertEquals(List.of("DENIED"), recorder.told);
    assertEquals(0, late.tickets.size());
  }

  @Test
  void refusesWithoutAskingForABudgetWhoHasNoIdentity() {
    AdmissionHandler handler =
        handler(
            late,
            limit("1/1h")
                .key(KeySpec.parse("header:x-user-id"))
                .onMissingKey(OnMissingKey.REFUSE)
                .build());
    Recorder recorder = new Recorder();
    admit(handler, request("/a"), recorder, clock.tick());
    assertEquals(List.of("IDENTITY_MISSING"), recorder.told);
    assertEquals(0, late.tickets.size());
  }

  @Test
  void findsTheParkedRequestWhenTheVerdictComesLater() {
    AdmissionHandler handler = handler(late, limit("1/1h").build());
    Recorder first = new Recorder();
    Recorder second = new Recorder();
    assertNotEquals(Admission.SETTLED, admit(handler, request("/a"), first, clock.tick()));
    assertNotEquals(Admission.SETTLED, admit(handler, request("/a"), second, clock.tick()));
    assertEquals(List.of(), first.told);

    late.answer(1, new Verdict().refuse(RefusalReason.OVER_LIMIT));
    late.answer(0, new Verdict().allowUnlimited());
    assertEquals(List.of("allowed unlimited"), first.told);
    assertEquals(List.of("OVER_LIMIT"), second.told);
  }

  @Test
  void dropsTheVerdictOfAClientThatIsGoneAndTellsNobodyElse() {
    AdmissionHandler handler = handler(late, limit("1/1h").build());
    Recorder gone = new Recorder();
    long ticket = admit(handler, request("/a"), gone, clock.tick());
    leave(handler, ticket);
    Recorder next = new Recorder();
    admit(handler, request("/a"), next, clock.tick()); // takes the same place

    late.answer(0, new Verdict().allowUnlimited());
    assertEquals(List.of(), gone.told);
    assertEquals(List.of(), next.told);
    late.answer(1, new Verdict().allowUnlimited());
    late.answer(1, new Verdict().allowUnlimited());
    assertEquals(List.of("allowed unlimited"), next.told);
  }

  @Test
  void refusesWhenEveryParkingPlaceIsTakenAndServesAgainWhenOneIsFree() {
    AdmissionHandler handler =
        new AdmissionHandler(late, identities(), metrics, clock, eventLoop, 1);
    handler.publish(RuleSet.compile(List.of(limit("1/1h").build()), false, RuleSet.EMPTY, 0));
    Recorder parked = new Recorder();
    Recorder turnedAway = new Recorder();
    admit(handler, request("/a"), parked, clock.tick());
    admit(handler, request("/a"), turnedAway, clock.tick());
    assertEquals(List.of("TOO_MANY_PARKED"), turnedAway.told);
    late.answer(0, new Verdict().allowUnlimited());
    assertNotEquals(Admission.SETTLED, admit(handler, request("/a"), new Recorder(), clock.tick()));
  }

  @Test
  void whoOnlyAsksLeavesPlacesToTraffic() {
    AdmissionHandler handler =
        new AdmissionHandler(late, identities(), metrics, clock, eventLoop, 16);
    handler.publish(RuleSet.compile(List.of(limit("1/1h").build()), false, RuleSet.EMPTY, 0));
    assertEquals(8, parked(handler, Purpose.DECISION));
    assertEquals(1, parked(handler, Purpose.OPERATOR));
    assertEquals(7, parked(handler, Purpose.TRAFFIC));
    late.answer(0, new Verdict().allowUnlimited());
    assertEquals(1, parked(handler, Purpose.DECISION), "one that has its verdict leaves its place");
  }

  /** How many questions of a purpose find a place. */
  private int parked(AdmissionHandler handler, Purpose purpose) {
    Recorder recorder = new Recorder();
    question.start(Operation.CHECK, purpose).request(request("/a"));
    int parked = 0;
    Verdict refusal = handler.ask(question, recorder, clock.tick()).verdict();
    while (refusal == null) {
      parked++;
      refusal = handler.ask(question, recorder, clock.tick()).verdict();
    }
    assertEquals(RefusalReason.TOO_MANY_PARKED, refusal.refusal());
    return parked;
  }

  @Test
  void givesThePlaceBackWhenTheGateFails() {
    Gate broken =
        (ticket, charges, nowNs, outcome) -> {
          throw new IllegalStateException("the gate is broken");
        };
    AdmissionHandler handler =
        new AdmissionHandler(broken, identities(), metrics, clock, eventLoop, 1);
    handler.publish(RuleSet.compile(List.of(limit("1/1h").build()), false, RuleSet.EMPTY, 0));
    Recorder recorder = new Recorder();
    for (int i = 0; i < 3; i++) {
      assertThrows(
          IllegalStateException.class, () -> ask(handler, request("/a"), recorder, clock.tick()));
    }
    handler.publish(RuleSet.EMPTY);
    admit(handler, request("/a"), recorder, clock.tick());
    assertEquals(List.of("allowed unlimited"), recorder.told);
  }

  @Test
  void tellsNobodyWithinTheQuestionOfAnother() {
    AdmissionHandler handler = handler(late, limit("1/1h").build());
    Recorder first = new Recorder();
    ask(handler, request("/a"), first, clock.tick());
    late.answersNextWithin = true;
    assertThrows(
        AssertionError.class, () -> ask(handler, request("/a"), new Recorder(), clock.tick()));
    assertEquals(List.of(), first.told);
  }

  @Test
  void aHeldRequestThatFailsKeepsNoOtherFromItsSlot() {
    AdmissionHandler handler = handler(holding, limit("9/1h").build());
    Recorder recorder = new Recorder();
    holding.dueNs = clock.tick();
    ask(handler, request("/a"), new Broken(), clock.nowNs());
    ask(handler, request("/a"), recorder, clock.nowNs());
    channel.runScheduledPendingTasks();
    assertEquals(List.of("allowed 1"), recorder.told);
  }

  @Test
  void keepsBudgetsOverAReloadAndCarriesThemOverAChangeOfLimit() {
    AdmissionHandler handler = handler(new LocalGate(tables), limit("10/1h").build());
    Recorder recorder = new Recorder();
    for (int i = 0; i < 4; i++) {
      admit(handler, request("/a"), recorder, clock.tick());
    }
    RuleSet before = RuleSet.compile(List.of(limit("10/1h").build()), false, RuleSet.EMPTY, 0);
    handler.publish(RuleSet.compile(List.of(limit("10/1h").build()), false, before, 0));
    admit(handler, request("/a"), recorder, clock.tick());
    assertEquals("allowed 5", recorder.last());
    handler.publish(RuleSet.compile(List.of(limit("6/1h").build()), false, before, 0));
    admit(handler, request("/a"), recorder, clock.tick());
    assertEquals("allowed 0", recorder.last());
    admit(handler, request("/a"), recorder, clock.tick());
    assertEquals("OVER_LIMIT", recorder.last());
  }

  private static BudgetSpec.Builder budget(Algorithm algorithm, String rate, String key) {
    return new BudgetSpec.Builder()
        .algorithm(algorithm)
        .rate(Rate.parse(rate))
        .key(KeySpec.parse(key));
  }

  static List<RuleSpec> rulesOfOneLimitAndOfSeveral() {
    return List.of(
        limit("1000/1s").key(KeySpec.parse("ip,header:x-user-id")).build(),
        RuleSpec.builder("r")
            .limits(
                List.of(
                    budget(Algorithm.GCRA, "1000/1s", "ip,header:x-user-id"),
                    budget(Algorithm.SLIDING_LOG, "16/5ms", "ip"),
                    budget(Algorithm.SLIDING_COUNTER, "30000/1s", "ip"),
                    budget(Algorithm.FIXED_WINDOW, "3000/1m", "cookie:s")))
            .build());
  }

  @ParameterizedTest
  @MethodSource("rulesOfOneLimitAndOfSeveral")
  void allocatesNothingForADecision(RuleSpec rule) {
    AdmissionHandler handler = handler(new LocalGate(tables), rule);
    handler.count(new TopKeys(StoreNames.DEFAULT.identityText(), 1, clock.nowNs()));
    Counter counter = new Counter();
    RequestView request = request("/a/b/c");
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 8; round++) { // the first ones also load classes and compile
      long before = threads.getCurrentThreadAllocatedBytes();
      decide(handler, request, counter, 50_000);
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertTrue(counter.allowed > 0 && counter.refused > 0, "both outcomes must occur");
    assertEquals(0, least, "bytes allocated in 50,000 decisions");
  }

  @Test
  void holdsARequestUntilItsSlotAndNeverLetsItPassBefore() {
    AdmissionHandler handler = handler(holding, limit("9/1h").build());
    Recorder recorder = new Recorder();
    holding.dueNs = clock.tick() + HOUR_NS;
    assertNotEquals(Admission.SETTLED, admit(handler, request("/a"), recorder, clock.nowNs()));
    channel.runScheduledPendingTasks();
    handler.queue.release();
    assertEquals(List.of(), recorder.told);
    assertEquals(0, metrics.rule("r").count(RuleCounters.Outcome.ALLOWED));
    holding.dueNs = clock.tick(); // its slot is now, and the timer's is moved
    admit(handler, request("/a"), recorder, clock.nowNs());
    channel.runScheduledPendingTasks();
    assertEquals(List.of("allowed 1"), recorder.told);
    assertEquals(1, metrics.rule("r").count(RuleCounters.Outcome.ALLOWED));
  }

  @Test
  void releasesInTheOrderOfTheSlotsWhateverTheOrderOfArrival() {
    AdmissionHandler handler = handler(holding, limit("9/1h").build());
    Recorder recorder = new Recorder();
    long nowNs = clock.tick();
    for (int before : new int[] {3, 9, 1, 7}) { // the remaining counts tell the arrivals apart
      holding.dueNs = nowNs - before;
      admit(handler, request("/a"), recorder, nowNs);
    }
    channel.runScheduledPendingTasks();
    assertEquals(List.of("allowed 1", "allowed 3", "allowed 0", "allowed 2"), recorder.told);
    assertTrue(recorder.heldNs >= 0);
  }

  @Test
  void aHeldRequestWhoseClientLeavesFreesItsPlace() {
    AdmissionHandler handler =
        new AdmissionHandler(holding, identities(), metrics, clock, eventLoop, 1);
    handler.publish(RuleSet.compile(List.of(limit("9/1h").build()), false, RuleSet.EMPTY, 0));
    Recorder gone = new Recorder();
    Recorder next = new Recorder();
    holding.dueNs = clock.tick() + HOUR_NS;
    long ticket = admit(handler, request("/a"), gone, clock.nowNs());
    admit(handler, request("/a"), next, clock.nowNs());
    assertEquals(List.of("TOO_MANY_PARKED"), next.told);
    leave(handler, ticket);
    holding.dueNs = clock.tick();
    admit(handler, request("/a"), next, clock.nowNs());
    channel.runScheduledPendingTasks();
    assertEquals(List.of("TOO_MANY_PARKED", "allowed 1"), next.told);
    assertEquals(List.of(), gone.told);
  }

  @Test
  void leavesHalfThePlacesToRequestsThatAreNotHeld() {
    AdmissionHandler handler =
        new AdmissionHandler(holding, identities(), metrics, clock, eventLoop, 4);
    RuleSpec other =
        RuleSpec.builder("other")
            .path(PathPattern.parse("/other"))
            .action(RuleAction.UNLIMITED)
            .build();
    handler.publish(
        RuleSet.compile(List.of(limit("9/1h").build(), other), false, RuleSet.EMPTY, 0));
    Recorder recorder = new Recorder();
    holding.dueNs = clock.tick() + HOUR_NS;
    long first = admit(handler, request("/a"), recorder, clock.nowNs());
    admit(handler, request("/a"), recorder, clock.nowNs());
    assertEquals(Admission.SETTLED, admit(handler, request("/a"), recorder, clock.nowNs()));
    admit(handler, request("/other"), recorder, clock.nowNs());
    assertEquals(List.of("TOO_MANY_PARKED", "allowed unlimited"), recorder.told);
    assertEquals(0, metrics.rule("r").count(RuleCounters.Outcome.REFUSED));
    assertEquals(1, metrics.rule("r").count(RuleCounters.Outcome.TOO_MANY_PARKED));
    leave(handler, first);
    assertNotEquals(Admission.SETTLED, admit(handler, request("/a"), recorder, clock.nowNs()));
  }

  @Test
  void aRehearsalHoldsNobodyUp() {
    AdmissionHandler handler = handler(holding, limit("9/1h").dryRun(true).build());
    Recorder recorder = new Recorder();
    holding.dueNs = clock.tick() + HOUR_NS;
    assertEquals(Admission.SETTLED, admit(handler, request("/a"), recorder, clock.nowNs()));
    assertEquals(List.of("allowed 0"), recorder.told);
  }

  @Test
  void allocatesNothingToHoldARequestButItsTimer() {
    AdmissionHandler handler = handler(holding, limit("9/1h").build());
    Counter counter = new Counter();
    RequestView request = request("/a/b/c");
    holding.dueNs = clock.tick() + HOUR_NS;
    admit(handler, request, counter, clock.nowNs()); // its timer serves those behind it
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 8; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 20_000; i++) {
        holding.dueNs += 1000;
        leave(handler, admit(handler, request, counter, clock.tick()));
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertEquals(0, least, "bytes allocated for 20,000 held requests");
  }

  /** Asks, and tells the asker what is known at once, as connections do. */
  private long admit(
      AdmissionHandler handler, RequestView request, VerdictListener asker, long nowNs) {
    Asked asked = handler.ask(question.traffic(request), asker, nowNs);
    long ticket = asked.ticket();
    if (asked.verdict() != null) {
      asker.decided(ticket, asked.verdict());
    }
    return ticket;
  }

  private long ask(
      AdmissionHandler handler, RequestView request, VerdictListener asker, long nowNs) {
    return handler.ask(question.traffic(request), asker, nowNs).ticket();
  }

  private void leave(AdmissionHandler handler, long ticket) {
    handler.ended(ticket, end.set(RequestEnd.How.CLIENT_GONE));
  }

  private void decide(AdmissionHandler handler, RequestView request, Counter counter, int rounds) {
    for (int i = 0; i < rounds; i++) {
      admit(handler, request, counter, clock.tick());
    }
  }

  private AdmissionHandler handler(Gate gate, RuleSpec spec) {
    AdmissionHandler handler = new AdmissionHandler(gate, identities(), metrics, clock, eventLoop);
    handler.publish(RuleSet.compile(List.of(spec), false, RuleSet.EMPTY, 0));
    return handler;
  }

  private static IdentityReader identities() {
    IdentitySettings settings = IdentitySettings.DEFAULT;
    return new IdentityReader(
        settings, KeyHasher.withKey(1, 2), new ClientIpReader(settings), 32 * 1024);
  }

  private static RuleSpec.Builder limit(String rate) {
    return RuleSpec.builder("r").rate(Rate.parse(rate));
  }

  private static RequestView request(String path) {
    byte[] bytes = ("GET " + path).getBytes(StandardCharsets.US_ASCII);
    RequestView view = new RequestView(4);
    view.reset(new UnsafeBuffer(bytes), 0, bytes.length, Peer.LOOPBACK);
    view.method(0, 3);
    view.path(4, path.length());
    return view;
  }

  /** Keeps every question, and answers when told to. */
  private static final class LateGate implements Gate {
    private final List<Long> tickets = new ArrayList<>();
    private Outcome outcome;
    private boolean answersNextWithin;

    @Override
    public Verdict ask(long ticket, Charges charges, long nowNs, Outcome asker) {
      tickets.add(ticket);
      outcome = asker;
      if (answersNextWithin) {
        answer(0, new Verdict().allowUnlimited());
      }
      return null;
    }

    void answer(int question, Verdict verdict) {
      outcome.settle(tickets.get(question), verdict);
    }
  }

  /** Lets every request pass at the time that is set. */
  private static final class HoldingGate implements Gate {
    private final Verdict verdict = new Verdict();
    private long dueNs;
    private long asked;

    @Override
    public Verdict ask(long ticket, Charges charges, long nowNs, Outcome outcome) {
      QuotaPolicy policy = charges.group(0).budget(0).policy();
      return verdict.allow(policy, 9, asked++, HOUR_NS).dueNs(dueNs);
    }
  }

  private static final class Recorder implements VerdictListener {
    private final List<String> told = new ArrayList<>();
    private long heldNs;

    @Override
    public void decided(long ticket, Verdict verdict) {
      heldNs = verdict.heldNs();
      if (verdict.allowed()) {
        told.add("allowed " + (verdict.policy() == null ? "unlimited" : verdict.remaining()));
      } else {
        told.add(verdict.refusal().name());
      }
    }

    String last() {
      return told.get(told.size() - 1);
    }
  }

  private static final class Broken implements VerdictListener {
    @Override
    public void decided(long ticket, Verdict verdict) {
      throw new IllegalStateException("the client's side is broken");
    }
  }

  private static final class Counter implements VerdictListener {
    private int allowed;
    private int refused;

    @Override
    public void decided(long ticket, Verdict verdict) {
      if (verdict.allowed()) {
        allowed++;
      } else {
        refused++;
      }
    }
  }
}
