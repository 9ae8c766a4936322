package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestEnd.How;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Budget;
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
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * A million random exchanges of three event loops on one table, with ends of each kind, ends that
 * are told twice, and rules that change meanwhile: whatever was taken is charged or given back, and
 * no slot is lost. {@code -Dweir.seed=} replays a failure.
 */
class HeldRandomStepsTest {
  private static final int EXCHANGES = Integer.getInteger("weir.exchanges", 1_000_000);
  private static final int LOOPS = 3;
  private static final int USERS = 40;
  private static final int IN_FLIGHT = 64;
  private static final ReportedCost COST = ReportedCost.ofTrailer(FieldName.of("x-tokens"));
  private static final How[] HOWS = How.values();

  private final long seed = Long.getLong("weir.seed", 1);
  private final SplittableRandom random = new SplittableRandom(seed);
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 0);
  private final Question question = new Question();
  private final RequestEnd end = new RequestEnd();
  private final RequestView[] requests = new RequestView[USERS];
  private final AdmissionHandler[] handlers = new AdmissionHandler[LOOPS];
  private final LoopMetrics[] metrics = new LoopMetrics[LOOPS];
  private RuleSet rules = RuleSet.EMPTY;
  private long charged;

  /** The requests in flight: their loops, the names of their holdings, and the units held. */
  private final int[] loops = new int[IN_FLIGHT];

  private final int[] names = new int[IN_FLIGHT];
  private int running;

  private void use(long limit, int slots) {
    CostSpec cost = CostSpec.ofReported(CostAtEnd.of(COST).reserving(10).missing(7));
    RuleSpec spec =
        RuleSpec.builder("r")
            .key(KeySpec.parse("header:x-user"))
            .limits(
                List.of(
                    new BudgetSpec.Builder()
                        .name("tokens")
                        .algorithm(Algorithm.FIXED_WINDOW)
                        .rate(Rate.parse(limit + "/365d"))
                        .cost(cost),
                    new BudgetSpec.Builder().name("slots").concurrency(slots)))
            .build();
    rules = RuleSet.compile(List.of(spec), null, false, rules, 0, 1);
    rules.succeed();
    for (AdmissionHandler each : handlers) {
      each.publish(rules);
    }
    rules.completeAdoption();
  }

  @Test
  void whatIsTakenIsChargedOrGivenBack() {
    for (int i = 0; i < LOOPS; i++) {
      IdentitySettings settings = IdentitySettings.DEFAULT;
      metrics[i] = new Metrics().newLoop();
      handlers[i] =
          new AdmissionHandler(
              new LocalGate(tables),
              new IdentityReader(
                  settings, KeyHasher.withKey(1, 2), new ClientIpReader(settings), 1024),
              metrics[i],
              new LoopClock(() -> 1),
              channel.eventLoop(),
              IN_FLIGHT / 4);
    }
    for (int i = 0; i < USERS; i++) {
      requests[i] = TextRequest.of("GET", "/", "x-user", "u" + i);
    }
    use(1_000_000_000, 3);
    int passed = 0;
    int refused = 0;
    for (int i = 0; i < EXCHANGES; i++) {
      if (i % 10_000 == 9_999) {
        use(1_000_000_000L + random.nextInt(9), 1 + random.nextInt(4));
      }
      int loop = random.nextInt(LOOPS);
      Verdict verdict =
          handlers[loop]
              .ask(question.traffic(requests[random.nextInt(USERS)]), (ticket, told) -> {}, 1)
              .verdict();
      if (verdict.allowed()) {
        passed++;
        loops[running] = loop;
        names[running++] = verdict.holding();
      } else {
        refused++;
      }
      while (running == IN_FLIGHT || running > 0 && random.nextBoolean()) {
        endAny();
      }
    }
    while (running > 0) {
      endAny();
    }
    String where = "weir.seed=" + seed;
    assertTrue(passed > EXCHANGES / 2 && refused > EXCHANGES / 100, passed + " " + refused);
    assertEquals(charged, figures(false), where);
    assertEquals(0, figures(true), where);
    for (AdmissionHandler each : handlers) {
      assertEquals(0, each.holdings.takenCount(), where);
    }
    tables.close();
    channel.close();
  }

  private void endAny() {
    int at = random.nextInt(running);
    How how = HOWS[random.nextInt(HOWS.length)];
    boolean isForwarded = how != How.REFUSED_HERE && random.nextInt(4) > 0;
    long cost = random.nextInt(3) == 0 ? RequestEnd.NOT_REPORTED : random.nextInt(25);
    end.set(how).times(isForwarded ? 1 : RequestEnd.NEVER, 0, 0).holding(names[at]);
    Admission of = handlers[loops[at]];
    of.ended(Admission.SETTLED, end.costReported(cost));
    if (random.nextInt(8) == 0) {
      of.ended(Admission.SETTLED, end); // told twice
    }
    if (isForwarded) {
      boolean isKnown = cost != RequestEnd.NOT_REPORTED;
      charged += isKnown ? cost : how == How.CLIENT_GONE ? 10 : 7;
    }
    running--;
    loops[at] = loops[running];
    names[at] = names[running];
  }

  /** Units that all users have used, or hold. */
  private long figures(boolean areHeld) {
    Decision out = new Decision();
    IdentitySettings settings = IdentitySettings.DEFAULT;
    IdentityReader reader =
        new IdentityReader(settings, KeyHasher.withKey(1, 2), new ClientIpReader(settings), 1024);
    QuestionRules found = new QuestionRules(reader, new Users(), false, () -> 0);
    found.use(rules);
    long sum = 0;
    for (RequestView request : requests) {
      question.traffic(request);
      found.read(found.find(question), question);
      for (Budget budget : rules.rules().get(0).budgets()) {
        long hash = found.identities().of(0).hash();
        if (areHeld) {
          tables.words().peek(hash ^ budget.heldSeed(), Limit.heldUnits(1), 1, 1, out);
          sum += out.current();
        } else if (!budget.isConcurrency()) {
          tables.words().peek(hash ^ budget.seed(), budget.limit(), 1, 1, out);
          sum += out.current();
        }
      }
    }
    return sum;
  }
}
