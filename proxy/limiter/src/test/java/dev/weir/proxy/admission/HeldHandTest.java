package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestEnd.How;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.request.Verdict;
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
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests that hold units which the store has put in hand, in mode leased. */
class HeldHandTest {
  private static final long MS = LeasedRig.MS;

  /** Twice a quarter of a life, and the time to the next sweep. */
  private static final long TWO_LOOKS_NS = 1_300 * MS;

  private static final ReportedCost COST = ReportedCost.ofHeader(FieldName.of("x-cost"));

  private LeasedRig rig;
  private ModelServer server;
  private ModelStore store;
  private AdmissionHandler admission;
  private final Question question = new Question();
  private final RequestEnd end = new RequestEnd();

  /** The holdings of requests that run, the oldest first. */
  private final Deque<Integer> running = new ArrayDeque<>();

  private int refused;
  private int lateCount;
  private long remaining;

  private void start(RuleSpec rule) {
    rig = new LeasedRig(null, ModelAdmission.HANDS, rule);
    server = rig.server;
    store = rig.store;
    admission = rig.admission;
  }

  private static RuleSpec slots(Mode mode, int slots) {
    return rule(mode, new BudgetSpec.Builder().concurrency(slots));
  }

  private static BudgetSpec.Builder tokens(String rate, long reserve) {
    return new BudgetSpec.Builder()
        .name("tokens")
        .algorithm(Algorithm.FIXED_WINDOW)
        .rate(Rate.parse(rate))
        .cost(CostSpec.ofReported(CostAtEnd.of(COST).reserving(reserve)));
  }

  private static RuleSpec rule(Mode mode, BudgetSpec.Builder... limits) {
    return RuleSpec.builder("r")
        .limits(Arrays.asList(limits))
        .key(KeySpec.parse("header:x-user"))
        .mode(mode)
        .onStoreFailure(OnStoreFailure.CLOSED)
        .build();
  }

  @AfterEach
  void close() {
    assertEquals(List.of(), server.faults());
    rig.close();
  }

  /** Asks; whether the verdict was known at once. */
  private boolean ask() {
    question.traffic(TextRequest.of("GET", "/", "x-user", "u"));
    Asked asked = admission.ask(question, (ticket, verdict) -> decided(verdict), now());
    if (asked.verdict() == null) {
      lateCount++;
      return false;
    }
    decided(asked.verdict());
    return true;
  }

  private long now() {
    return store.clock().nowNs();
  }

  private void decided(Verdict verdict) {
    if (verdict.allowed()) {
      running.add(verdict.holding());
      remaining = verdict.remaining();
    } else {
      refused++;
    }
  }

  private void end(long cost) {
    end.set(How.COMPLETE).times(1, 0, 0).holding(running.remove());
    admission.ended(Admission.SETTLED, end.costReported(cost));
  }

  /** Sends so many requests, a millisecond apart, of which so many run at a time. */
  private void load(int count, int atATime, long cost) {
    for (int i = 0; i < count; i++) {
      if (running.size() == atATime) {
        end(cost);
      }
      ask();
      rig.answerAll();
      store.pass(MS);
    }
    rig.answerAll();
  }

  private int messages() {
    return server.executed().size();
  }

  private void pass(long ns) {
    for (long left = ns; left > 0; left -= 100 * MS) {
      store.pass(100 * MS);
      rig.answerAll();
    }
  }

  private void endAll(long cost) {
    while (!running.isEmpty()) {
      end(cost);
    }
    rig.answerAll();
  }

  @Test
  void aBusyKeysSlotsAreTakenFromTheHandWithoutAMessage() {
    start(slots(Mode.LEASED, 100));
    load(200, 5, 0);
    int before = messages();
    int late = lateCount;
    load(1_000, 5, 0);
    assertEquals(late, lateCount, "none waits");
    assertTrue(messages() - before <= 3, messages() - before + " messages for 1,000 requests");
    assertEquals(0, refused);
  }

  @Test
  void aBusyKeysCostsAreToldTogetherAFewTimesInALife() {
    start(rule(Mode.LEASED, tokens("10000000/365d", 10)));
    load(1_000, 5, 7);
    int before = messages();
    int late = lateCount;
    load(2_000, 5, 7); // a life
    assertTrue(messages() - before <= 20, messages() - before + " messages for 2,000 requests");
    assertTrue(lateCount - late <= 20, lateCount - late + " of 2,000 wait");
    endAll(7);
    pass(40_000 * MS);
    assertEquals(0, server.heldUnits(), "all free at the end");
    assertEquals(3_000 * 7, server.charges().get("u"));
  }

  @Test
  void neverMoreThanTheLimitRunAndAllOfItCan() {
    start(slots(Mode.LEASED, 20));
    load(500, 8, 0);
    for (int i = 0; i < 40; i++) {
      ask();
      rig.answerAll();
    }
    assertEquals(20, running.size());
    assertEquals(20, server.heldUnits());
    endAll(0);
    pass(40_000 * MS);
    assertEquals(0, server.heldUnits());
  }

  @Test
  void aKeyThatSeldomComesIsDecidedAsExact() {
    start(slots(Mode.LEASED, 100));
    for (int i = 0; i < 20; i++) {
      assertFalse(ask());
      rig.answerAll();
      assertEquals(1, server.heldUnits());
      end(0);
      rig.answerAll();
      assertEquals(0, server.heldUnits(), "told at once");
      store.pass(1_100 * MS);
      rig.answerAll();
    }
  }

  @Test
  void ofFewSlotsNoneIsKept() {
    start(slots(Mode.LEASED, 4));
    for (int i = 0; i < 200; i++) {
      ask();
      rig.answerAll();
      end(0);
      rig.answerAll();
      assertEquals(0, server.heldUnits());
      store.pass(MS);
    }
  }

  @Test
  void whatNobodyNeedsGoesBackThoughTheKeyIsBusy() {
    start(slots(Mode.LEASED, 1_000));
    load(2_000, 100, 0);
    endAll(0);
    load(4_000, 2, 0);
    assertTrue(server.heldUnits() <= 6, server.heldUnits() + " are held for 2");
    endAll(0);
  }

  @Test
  void whatIsInHandGoesBackInTwoLooksThoughNobodyComes() {
    start(rule(Mode.LEASED, tokens("10000000/365d", 10)));
    load(1_000, 5, 7);
    endAll(7);
    assertTrue(server.heldUnits() > 0);
    pass(TWO_LOOKS_NS);
    assertEquals(0, server.heldUnits());
  }

  @Test
  void figuresIncludeWhatIsInHand() {
    start(slots(Mode.LEASED, 100));
    load(200, 5, 0);
    end(0);
    assertTrue(ask());
    assertEquals(100 - 5, remaining);
    assertTrue(server.heldUnits() > 5);
  }

  @Test
  void bridgesAStoreThatDoesNotAnswer() {
    start(slots(Mode.LEASED, 100));
    load(200, 5, 0);
    for (int i = 0; i < 9_000; i++) {
      end(0);
      assertTrue(ask(), "after " + i + " ms");
      store.pass(MS);
    }
    for (int i = 0; i < 1_000; i++) {
      store.pass(MS);
    }
    end(0);
    ask();
    store.pass(10 * MS);
    assertTrue(refused > 0, "the record may have expired");
    while (server.pendingCount() > 0) {
      server.answer();
    }
  }

  @Test
  void dropsWhatIsInHandWhenTheStoreHasForgotten() {
    start(slots(Mode.LEASED, 100));
    load(200, 5, 0);
    server.forgetHolders();
    pass(4_000 * MS); // a renewal
    endAll(0);
    pass(1_000 * MS);
    for (int i = 0; i < 300; i++) {
      ask();
      rig.answerAll();
    }
    assertEquals(100, running.size());
    assertEquals(100, server.heldUnits());
  }

  @Test
  void dropsWhatIsInHandAtAnotherServerAndNotWithAConnection() {
    start(slots(Mode.LEASED, 100));
    load(200, 5, 0);
    server.lose(false);
    for (int i = 0; i < 100; i++) {
      store.pass(10 * MS);
      end(0);
      assertTrue(ask(), "after " + i);
    }
    server.process = 2;
    server.lose(false);
    boolean isDropped = false;
    for (int i = 0; i < 200 && !isDropped; i++) {
      store.pass(10 * MS);
      end(0);
      isDropped = !ask();
    }
    assertTrue(isDropped);
  }

  @Test
  void inAnyOrderOfEventsTheLimitHoldsAndAllIsToldInTheEnd() {
    int byHand = 0;
    for (int seed = 1; seed <= 25; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int reserve = 1 + random.nextInt(5);
      int capacity = 40 + random.nextInt(400);
      int slots = 4 + random.nextInt(40);
      start(
          rule(
              Mode.LEASED,
              tokens(capacity + "/365d", reserve),
              new BudgetSpec.Builder().concurrency(slots)));
      long spent = 0;
      for (int step = 0; step < 600; step++) {
        switch (random.nextInt(12)) {
          case 0, 1, 2, 3 -> byHand += ask() ? 1 : 0;
          case 4, 5, 6 -> {
            if (!running.isEmpty()) {
              long cost = random.nextInt(4) == 0 ? random.nextInt(reserve + 1) : 0;
              spent += cost;
              end(cost);
            }
          }
          case 7, 8, 9 -> rig.answerAll();
          case 10 -> store.pass(random.nextInt(20) == 0 ? 700 * MS : random.nextInt(8) * MS);
          default -> {
            if (random.nextInt(30) == 0) {
              server.lose(random.nextBoolean());
            }
          }
        }
        String where = "seed " + seed + ", step " + step;
        assertTrue(spent + (long) running.size() * reserve <= capacity, where);
        assertTrue(running.size() <= slots, where);
      }
      rig.answerAll();
      spent += running.size();
      endAll(1);
      pass(40_000 * MS);
      assertEquals(0, server.heldUnits(), "seed " + seed);
      assertEquals(spent, server.charges().getOrDefault("u", 0L), "seed " + seed);
      close();
    }
    start(slots(Mode.LEASED, 4));
    assertTrue(byHand > 500, byHand + " by hand");
  }

  @Test
  void aChangedLimitLeavesNothingInHandOfTheOneBefore() {
    start(slots(Mode.LEASED, 100));
    load(200, 5, 0);
    endAll(0);
    assertTrue(server.heldUnits() > 0);
    rig.publish(slots(Mode.LEASED, 90));
    rig.answerAll();
    assertEquals(0, server.heldUnits());
  }

  @Test
  void theSameLimitInModeExactKeepsNothing() {
    start(slots(Mode.LEASED, 100));
    load(200, 5, 0);
    rig.publish(slots(Mode.EXACT, 100));
    rig.answerAll();
    for (int i = 0; i < 50; i++) {
      assertFalse(ask());
      rig.answerAll();
    }
    endAll(0);
    assertEquals(0, server.heldUnits());
    rig.publish(slots(Mode.LEASED, 100));
    load(200, 5, 0);
    end(0);
    assertTrue(ask());
  }

  @Test
  void whoTakesFromTheHandIsChargedByTheRulesInUse() {
    start(missing(1));
    load(200, 5, 0);
    rig.publish(missing(3));
    int late = lateCount;
    end(0);
    assertTrue(ask());
    for (int i = 0; i < 4; i++) {
      end(0);
    }
    assertEquals(late, lateCount);
    end.set(How.COMPLETE).times(1, 0, 0).holding(running.remove());
    admission.ended(Admission.SETTLED, end.costReported(RequestEnd.NOT_REPORTED));
    pass(40_000 * MS);
    assertEquals(3, server.charges().get("u"));
  }

  private static RuleSpec missing(long units) {
    CostAtEnd cost = CostAtEnd.of(COST).reserving(10).missing(units);
    return rule(Mode.LEASED, tokens("10000000/365d", 10).cost(CostSpec.ofReported(cost)));
  }

  @Test
  void nothingIsInHandWhenTheProcessEnds() {
    start(rule(Mode.LEASED, tokens("10000000/365d", 10), new BudgetSpec.Builder().concurrency(50)));
    load(500, 5, 3);
    assertTrue(server.heldUnits() > 5 * 11, "in hand");
    admission.ending();
    rig.answerAll();
    assertEquals(5 * 11, server.heldUnits());
    endAll(3);
    assertTrue(admission.ending());
    assertEquals(0, server.heldUnits());
    assertEquals(500 * 3, server.charges().get("u"));
  }

  @Test
  void severalLimitsOfAKeyAreInHandTogether() {
    BudgetSpec.Builder running = new BudgetSpec.Builder().concurrency(1_000);
    start(rule(Mode.LEASED, tokens("10000000/365d", 10), running));
    load(1_000, 5, 3);
    int before = messages();
    int late = lateCount;
    load(1_000, 5, 3);
    assertTrue(lateCount - late <= 20, lateCount - late + " of 1,000 wait");
    assertTrue(messages() - before <= 40, messages() - before + " messages for 1,000 requests");
  }

  @Test
  void besideALimitThatIsChargedAtOnceTheStoreDecides() {
    BudgetSpec.Builder requests =
        new BudgetSpec.Builder().algorithm(Algorithm.FIXED_WINDOW).rate(Rate.parse("1000000/365d"));
    start(rule(Mode.LEASED, requests, new BudgetSpec.Builder().concurrency(50)));
    load(200, 5, 0);
    assertEquals(200, lateCount);
  }

  @Test
  @Tag("allocation")
  void nothingIsAllocatedOnTheWayFromTheHandAndBack() {
    start(slots(Mode.LEASED, 1_000));
    load(2_000, 5, 0);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    question.traffic(TextRequest.of("GET", "/", "x-user", "u"));
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 200 && least > 0; round++) {
      int before = messages();
      long start = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 200; i++) {
        Verdict verdict = admission.ask(question, (ticket, late) -> {}, now()).verdict();
        assertNotNull(verdict);
        end.set(How.COMPLETE).times(1, 0, 0).holding(verdict.holding());
        admission.ended(Admission.SETTLED, end);
      }
      long allocated = threads.getCurrentThreadAllocatedBytes() - start;
      least = messages() == before ? Math.min(least, allocated) : least;
      store.pass(10 * MS);
      rig.answerAll();
    }
    assertEquals(0, least);
    endAll(0);
  }
}
