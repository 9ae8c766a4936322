package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.OneFigure;
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
import dev.weir.proxy.request.VerdictListener;
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
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Units that requests hold from their verdicts to their ends, decided by the store. */
class ExactHeldTest {
  private static final long DEADLINE_NS = TimeUnit.MILLISECONDS.toNanos(16);

  /** An array of one argument. */
  private static final long PROXY_BYTES = 24;

  private static final ReportedCost TOKENS = ReportedCost.ofTrailer(FieldName.of("x-tokens"));

  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 16);
  private final Metrics all = new Metrics();
  private final LoopMetrics metrics = all.newLoop();
  private final ModelServer server = new ModelServer(1);
  private final Question question = new Question();
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final RequestEnd end = new RequestEnd();
  private ModelStore store;
  private AdmissionHandler admission;

  /** What the last request that passed holds, and its charge, if that can be given back. */
  private int holding;

  private int kept;

  private void use(OnStoreFailure onStoreFailure, List<BudgetSpec.Builder> limits) {
    RuleSpec rule =
        RuleSpec.builder("r")
            .limits(limits)
            .mode(Mode.EXACT)
            .key(KeySpec.ALL)
            .onStoreFailure(onStoreFailure)
            .build();
    store = new ModelStore(List.of(server), List.of(), false, metrics.store(), DEADLINE_NS);
    admission = ModelAdmission.of(store, Topology.STANDALONE, DEADLINE_NS, tables, metrics, rule);
  }

  private static BudgetSpec.Builder limit(String rate, String name) {
    return new BudgetSpec.Builder()
        .algorithm(Algorithm.FIXED_WINDOW)
        .rate(Rate.parse(rate))
        .name(name);
  }

  private static BudgetSpec.Builder tokens(String name) {
    return limit("20000/365d", name)
        .cost(CostSpec.ofReported(CostAtEnd.of(TOKENS).reserving(4000)));
  }

  private static BudgetSpec.Builder slots() {
    return new BudgetSpec.Builder().name("slots").concurrency(2);
  }

  @AfterEach
  void close() {
    store.close();
    tables.close();
    assertEquals(List.of(), server.faults());
  }

  private void answerAll() {
    while (server.pendingCount() > 0) {
      server.answer();
    }
  }

  private void ask(long contentLength) {
    holding = Verdict.NOTHING_HELD;
    RequestView head = TextRequest.of("POST", "/");
    head.contentLength(contentLength);
    Verdict known =
        admission
            .ask(
                question.traffic(head), (ticket, verdict) -> passes(verdict), store.clock().nowNs())
            .verdict();
    if (known != null) {
      passes(known);
    }
  }

  private void passes(Verdict verdict) {
    assertTrue(verdict.allowed());
    holding = verdict.holding();
    kept = admission.keep();
  }

  private void held(long contentLength) {
    ask(contentLength);
    answerAll();
    assertNotEquals(Verdict.NOTHING_HELD, holding);
  }

  private void end(How how) {
    admission.ended(Admission.SETTLED, end.set(how).holding(holding));
    answerAll();
  }

  private void end(How how, long cost) {
    end.set(how).times(1, 2, 3).holding(holding).costReported(cost);
    admission.ended(Admission.SETTLED, end);
  }

  private List<Long> left(int limits) {
    List<Long> left = new ArrayList<>();
    admission.ask(
        question.start(Operation.PEEK, Purpose.OPERATOR).rule("r").wantsRows(),
        (ticket, told) -> {
          for (int i = 0; i < limits; i++) {
            left.add(told.row(i).remaining());
          }
        },
        store.clock().nowNs());
    answerAll();
    return left;
  }

  @Test
  void whatIsGivenBackIsNotWhatIsHeld() {
    use(
        OnStoreFailure.CLOSED,
        List.of(tokens("tpm"), limit("100/365d", "hourly"), slots(), limit("9/365d", "daily")));
    held(0);
    assertEquals(List.of(16_000L, 99L, 1L, 8L), left(4));
    admission.giveBack(kept);
    answerAll();
    assertEquals(List.of(16_000L, 100L, 1L, 9L), left(4), "held until the end is told");
    end(How.REFUSED_HERE);
    assertEquals(List.of(20_000L, 100L, 2L, 9L), left(4));
  }

  @Test
  void nothingIsGivenBackThatWasHeldAlone() {
    use(OnStoreFailure.CLOSED, List.of(tokens("tpm"), slots()));
    held(0);
    assertEquals(Admission.NOTHING_KEPT, kept, "nothing was charged");
    end(How.REFUSED_HERE);
    assertEquals(List.of(20_000L, 2L), left(2));
  }

  @Test
  void lengthsThatRequestsTellAreGivenBackIfTheServiceHadNoneOfThem() {
    CostSpec length =
        CostSpec.ofRequestBytes(1, CostAtEnd.of(ReportedCost.ofRequestBytes(1)).reserving(50));
    use(OnStoreFailure.CLOSED, List.of(limit("1000/365d", "bytes").cost(length), slots()));
    held(300);
    assertEquals(List.of(700L, 1L), left(2));
    admission.giveBack(kept);
    end(How.REFUSED_HERE);
    assertEquals(List.of(1000L, 2L), left(2));
    held(300);
    admission.letStand(kept);
    end(How.CLIENT_GONE);
    assertEquals(List.of(700L, 2L), left(2), "charged, as elsewhere what is known from the start");
  }

  /** The share of each limit is held here, and what the request cost is owed to the store. */
  @Test
  void shareAndStoreHoldAllLimitsOfARuleWhileTheStoreIsSilentAndCountItsAnswerOnce() {
    List<BudgetSpec.Builder> limits = new ArrayList<>();
    for (int i = 0; i < RuleSpec.MAX_BUDGETS; i++) {
      limits.add(tokens("tpm" + i));
    }
    use(OnStoreFailure.LOCAL_SHARE, limits);
    unanswered();
    assertEquals(16, admission.holdings.get(holding).count());
    end(How.COMPLETE, RequestEnd.NOT_REPORTED);
    assertEquals(8, figure("weir_costs_missing_total"));
    unanswered();
    end(How.COMPLETE, 100_000);
    assertEquals(8 * (100_000 - 24_000), figure("weir_units_uncollected_total"));
    assertEquals(0, admission.holdings.takenCount());
  }

  @Test
  void learnsOnceFromAnAnswerThatShareAndStoreAreCharged() {
    CostSpec learned = CostSpec.ofReported(CostAtEnd.of(TOKENS));
    use(OnStoreFailure.LOCAL_SHARE, List.of(limit("160k/365d", "tpm").cost(learned)));
    for (int answers = 0; answers < Reserve.FIRST_ANSWERS; answers++) {
      unanswered();
      assertEquals(10_000, admission.holdings.get(holding).units(0), answers + " answers");
      end(How.COMPLETE, 100);
    }
    unanswered();
    assertEquals(192, admission.holdings.get(holding).units(0));
    end(How.COMPLETE, 100);
  }

  /** From the question to the end, by the sidecar's own code: Lettuce is not in it. */
  @Test
  void allocatesNothing() {
    use(
        OnStoreFailure.CLOSED,
        List.of(tokens("tpm"), limit("9M/365d", "hourly"), slots(), limit("9M/30d", "monthly")));
    RequestView head = TextRequest.of("POST", "/");
    VerdictListener listener = (ticket, verdict) -> passes(verdict);
    long allocated = Long.MAX_VALUE;
    for (int attempt = 0; attempt < 10 && allocated > 0; attempt++) {
      allocated = 0;
      for (int i = 0; i < 50; i++) {
        long before = allocatedBytes();
        admission.ask(question.traffic(head), listener, store.clock().nowNs());
        allocated += allocatedBytes() - before + answeredBytes();
        before = allocatedBytes();
        if (i % 2 == 0) {
          admission.letStand(kept);
        } else {
          admission.giveBack(kept);
        }
        end.set(i % 2 == 0 ? How.COMPLETE : How.REFUSED_HERE).holding(holding);
        admission.ended(Admission.SETTLED, end.costReported(0L));
        allocated += allocatedBytes() - before + answeredBytes();
      }
    }
    assertEquals(0, allocated);
    assertEquals(List.of(20_000L, 2L), List.of(left(4).get(0), left(4).get(2)));
  }

  /** The bytes of answers, less what the proxy in the place of Lettuce takes for each call. */
  private long answeredBytes() {
    long allocated = 0;
    while (server.pendingCount() > 0) {
      server.execute();
      long before = allocatedBytes();
      server.deliver();
      allocated += allocatedBytes() - before - PROXY_BYTES;
    }
    return allocated;
  }

  private long allocatedBytes() {
    return threads.getCurrentThreadAllocatedBytes();
  }

  /** A request that passes without a decision of the store. */
  private void unanswered() {
    ask(0);
    store.pass(DEADLINE_NS);
    assertNotEquals(Verdict.NOTHING_HELD, holding, "it has its verdict");
  }

  private long figure(String name) {
    return (long) OneFigure.of(all, name).orElseThrow();
  }
}
