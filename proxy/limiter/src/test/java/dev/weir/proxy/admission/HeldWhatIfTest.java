package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.WhatIfCounts;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
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
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A candidate that holds units beside rules that do, or do not: both are told the end. */
class HeldWhatIfTest {
  private static final RequestView REQUEST = TextRequest.of("GET", "/");
  private static final ReportedCost TOKENS = ReportedCost.ofTrailer(FieldName.of("x-tokens"));
  private static final ReportedCost BYTES = ReportedCost.ofResponseBytes(1024);

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final List<LimitTables> tables = new ArrayList<>();
  private final Question question = new Question();
  private final RequestEnd end = new RequestEnd();
  private long time = 1;
  private AdmissionHandler now;
  private AdmissionHandler then;
  private WhatIf admission;

  @AfterEach
  void close() {
    tables.forEach(LimitTables::close);
    channel.close();
  }

  private static IdentityReader identities() {
    IdentitySettings settings = IdentitySettings.DEFAULT;
    return new IdentityReader(
        settings, KeyHasher.withKey(1, 2), new ClientIpReader(settings), 1024);
  }

  private AdmissionHandler handler() {
    LimitTables own = LimitTables.allocate(new AdmissionSettings(100, 100, 0), 0);
    tables.add(own);
    return new AdmissionHandler(
        new LocalGate(own),
        identities(),
        new Metrics().newLoop(),
        new LoopClock(() -> time),
        channel.eventLoop());
  }

  private static RuleSet set(BudgetSpec.Builder... limits) {
    RuleSpec spec = RuleSpec.builder("r").key(KeySpec.ALL).limits(List.of(limits)).build();
    return RuleSet.compile(List.of(spec), null, false, RuleSet.EMPTY, 0, 1);
  }

  private void compare(RuleSet inUse, RuleSet candidate) {
    now = handler();
    then = handler();
    now.publish(inUse);
    admission = new WhatIf(now, then, identities(), StoreNames.DEFAULT.identityText());
    admission.publish(new Candidate(candidate, 1000));
    admission.count(new WhatIfCounts());
  }

  private static BudgetSpec.Builder slots(int count) {
    return new BudgetSpec.Builder().concurrency(count);
  }

  private static BudgetSpec.Builder limit(String name, ReportedCost cost) {
    return new BudgetSpec.Builder()
        .name(name)
        .algorithm(Algorithm.FIXED_WINDOW)
        .rate(Rate.parse("1000/365d"))
        .cost(
            cost == null
                ? CostSpec.NOT_GIVEN
                : CostSpec.ofReported(CostAtEnd.of(cost).reserving(100)));
  }

  private Verdict ask() {
    return admission.ask(question.traffic(REQUEST), (ticket, verdict) -> {}, 1).verdict();
  }

  private void end(int holding, long... costs) {
    end.set(How.COMPLETE).times(1, 1, 1).holding(holding);
    for (long cost : costs) {
      end.costReported(cost);
    }
    admission.ended(Admission.SETTLED, end);
  }

  private static long left(AdmissionHandler of, int limit) {
    Question look = new Question().start(Operation.PEEK, Purpose.OPERATOR).rule("r").wantsRows();
    return of.ask(look, (ticket, told) -> {}, 1).verdict().row(limit).remaining();
  }

  @Test
  void bothHoldAndAreSettled() {
    compare(set(limit("bytes", BYTES), slots(2)), set(limit("tokens", TOKENS), limit("b", BYTES)));
    Verdict verdict = ask();
    assertEquals(List.of(BYTES, TOKENS), List.of(verdict.reportedCosts()));
    int first = verdict.holding();
    int second = ask().holding();
    assertFalse(ask().allowed());
    assertEquals(2, then.holdings.takenCount(), "a request that is refused holds nothing");
    end(first, 3, 5);
    end(second, 7, RequestEnd.NOT_REPORTED);
    assertEquals(990, left(now, 0));
    assertEquals(2, left(now, 1));
    assertEquals(1000 - 5 - 100, left(then, 0));
    assertEquals(990, left(then, 1));
    end(second, 7, 9);
    assertEquals(0, now.holdings.takenCount() + then.holdings.takenCount());
    assertEquals(895, left(then, 0), "told twice");
  }

  @Test
  void aCandidateHoldsAlone() {
    compare(set(limit("all", null)), set(limit("tokens", TOKENS)));
    Verdict verdict = ask();
    assertEquals(List.of(TOKENS), List.of(verdict.reportedCosts()));
    assertEquals(900, left(then, 0));
    end(verdict.holding(), 42);
    assertEquals(958, left(then, 0));
    assertEquals(0, then.holdings.takenCount());
  }

  @Test
  void theRulesInUseHoldAlone() {
    compare(set(slots(1)), set(limit("all", null)));
    int holding = ask().holding();
    assertFalse(ask().allowed());
    end(holding);
    assertTrue(ask().allowed());
  }

  /** Requests that fail quickly, or that the client sends slowly, tell nothing of the service. */
  @Test
  void aCandidateLearnsItsNumberFromWhatTheRulesInUseWouldLearn() {
    RuleSet used = set(new BudgetSpec.Builder().name("s").adaptive(2, 50));
    RuleSet candidate = set(new BudgetSpec.Builder().name("s").adaptive(2, 50));
    compare(used, candidate);
    for (int i = 0; i < 400; i++) {
      int[] both = {ask().holding(), ask().holding()};
      long sentNs = time;
      time += 20_000_000;
      for (int holding : both) {
        end.set(How.COMPLETE).status(500).bytes(1 << 20, 0).times(sentNs, time, time);
        admission.ended(Admission.SETTLED, end.holding(holding).costReported(0L));
      }
    }
    assertEquals(2, used.rules().get(0).budgets().get(0).limit().capacity());
    assertEquals(2, candidate.rules().get(0).budgets().get(0).limit().capacity());
  }
}
