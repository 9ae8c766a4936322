package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.Identity;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Several limits over two keys beside a model of each that knows nothing of the others: the times
 * of all that passed. Whatever the model says of one budget must be so in the rule, at every step.
 */
class AllOrNoneModelTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST_WINDOW_MS = 4000;

  /** Whether what passed at a time still counts. */
  private interface Counted {
    boolean counts(long atNs, long nowNs);
  }

  /** The units of one budget that passed, and when; the earliest first. */
  private static final class Passed {
    private final ArrayDeque<long[]> all = new ArrayDeque<>();

    void add(long units, long atNs) {
      all.add(new long[] {units, atNs});
    }

    void forget(long untilNs) {
      while (!all.isEmpty() && all.peek()[1] <= untilNs) {
        all.remove();
      }
    }

    long count(Counted counted, long nowNs) {
      long count = 0;
      for (long[] some : all) {
        count += counted.counts(some[1], nowNs) ? some[0] : 0;
      }
      return count;
    }
  }

  private record Model(
      Algorithm algorithm,
      String rate,
      String key,
      long limit,
      long cost,
      Counted counted,
      String policy) {
    long left(Map<String, Passed> passed, String identity, long nowNs) {
      return limit - of(passed, identity).count(counted, nowNs);
    }

    Passed of(Map<String, Passed> passed, String identity) {
      return passed.computeIfAbsent(policy + identity, name -> new Passed());
    }
  }

  private static Counted sliding(long windowNs) {
    return (atNs, nowNs) -> atNs + windowNs > nowNs;
  }

  private static Counted fixed(long windowNs) {
    return (atNs, nowNs) -> atNs / windowNs == nowNs / windowNs;
  }

  private static final List<Model> MODELS =
      List.of(
          new Model(
              Algorithm.SLIDING_LOG, "12/1s", "header:user", 12, 2, sliding(1000 * MS), "r-1s"),
          new Model(
              Algorithm.FIXED_WINDOW, "20/2s", "header:user", 20, 3, fixed(2000 * MS), "r-2s"),
          new Model(Algorithm.SLIDING_LOG, "33/3s", "ip", 33, 4, sliding(3000 * MS), "r-3s"),
          new Model(
              Algorithm.FIXED_WINDOW, "40/4s", "ip", 40, 5, fixed(LONGEST_WINDOW_MS * MS), "r-4s"));

  private final Charges charges = new Charges();
  private boolean allowed;
  private String policy;
  private long remaining;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void agreesWithAModelOfEachBudget(long seed) {
    // The costs are the rule's, or the question's.
    Random random = new Random(seed);
    boolean areOfRule = seed % 2 == 0;
    List<BudgetSpec.Builder> limits = new ArrayList<>();
    for (Model model : MODELS) {
      limits.add(
          new BudgetSpec.Builder()
              .algorithm(model.algorithm())
              .rate(Rate.parse(model.rate()))
              .key(KeySpec.parse(model.key()))
              .cost(areOfRule ? model.cost() : 1));
    }
    RuleSpec spec = RuleSpec.builder("r").limits(limits).build();
    Rule rule = RuleSet.compile(List.of(spec), false, RuleSet.EMPTY, 0).rules().get(0);
    Question question = new Question();
    for (int i = 0; i < MODELS.size() && !areOfRule; i++) {
      question.cost(i, MODELS.get(i).cost());
    }
    Map<String, Passed> passed = new HashMap<>();
    Map<String, Integer> outcomes = new HashMap<>();
    try (LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 64)) {
      LocalGate gate = new LocalGate(tables);
      long nowNs = 100_000 * MS;
      for (int step = 0; step < 5_000; step++) {
        nowNs += random.nextInt(100) == 0 ? random.nextInt(3000) * MS : random.nextInt(60) * MS;
        String user = "user" + random.nextInt(3);
        String ip = "ip" + random.nextInt(2);
        charges.set(rule, group -> identity(group == 0 ? user : ip), question);
        take(gate.ask(1, charges, nowNs, null));
        String expected = expected(passed, user, ip, nowNs);
        assertEquals(expected, allowed + " " + policy + " " + remaining, "step " + step);
        outcomes.merge(allowed + policy, 1, Integer::sum);
      }
    }
    assertTrue(outcomes.size() >= 6, outcomes.toString());
  }

  private static String expected(Map<String, Passed> passed, String user, String ip, long nowNs) {
    boolean allowed = true;
    for (Model model : MODELS) {
      allowed &= model.left(passed, of(model, user, ip), nowNs) >= model.cost();
    }
    Model chosen = null;
    double best = 0;
    for (Model model : MODELS) {
      String identity = of(model, user, ip);
      Passed its = model.of(passed, identity);
      its.forget(nowNs - LONGEST_WINDOW_MS * MS); // counts in no window any more
      if (allowed) {
        its.add(model.cost(), nowNs);
      }
      double rank =
          allowed
              ? 1 - (double) model.left(passed, identity, nowNs) / model.limit()
              : waitNs(model, its, nowNs);
      if (chosen == null || rank > best) {
        chosen = model;
        best = rank;
      }
    }
    return allowed + " " + chosen.policy() + " " + chosen.left(passed, of(chosen, user, ip), nowNs);
  }

  private static String of(Model model, String user, String ip) {
    return model.key().equals("ip") ? ip : user;
  }

  /** The first millisecond at which there is room; what has left does not come back. */
  private static long waitNs(Model model, Passed its, long nowNs) {
    long leastMs = 0;
    long mostMs = LONGEST_WINDOW_MS;
    while (leastMs < mostMs) {
      long ms = (leastMs + mostMs) / 2;
      if (model.limit() - its.count(model.counted(), nowNs + ms * MS) >= model.cost()) {
        mostMs = ms;
      } else {
        leastMs = ms + 1;
      }
    }
    return leastMs * MS;
  }

  private static Identity identity(String name) {
    return new HashOnly(name.hashCode() * 0x9E37_79B9_7F4A_7C15L);
  }

  private void take(Verdict verdict) {
    allowed = verdict.allowed();
    policy = verdict.policy().name();
    remaining = verdict.remaining();
  }
}
