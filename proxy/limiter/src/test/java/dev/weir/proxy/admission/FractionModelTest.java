package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.CostSpec;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.Thousandths;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Token buckets with decimals, each beside a limit in whole numbers, and a model of the bucket in
 * exact decimals that fills it up and takes from it.
 */
class FractionModelTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

  /** More with {@code -Dweir.fraction.steps=1000000}. */
  private static final int STEPS = Integer.getInteger("weir.fraction.steps", 5_000);

  /** A bucket of decimals. */
  private static final class Bucket {
    private final BigDecimal capacity;
    private final BigDecimal perMs;
    private BigDecimal tokens;
    private long atMs;

    Bucket(String perSecond, String capacity) {
      this.capacity = new BigDecimal(capacity);
      this.perMs = new BigDecimal(perSecond).movePointLeft(3);
      this.tokens = this.capacity;
    }

    void fill(long nowMs) {
      BigDecimal more = perMs.multiply(BigDecimal.valueOf(nowMs - atMs), MathContext.UNLIMITED);
      tokens = tokens.add(more).min(capacity);
      atMs = nowMs;
    }

    boolean take(BigDecimal cost) {
      boolean fits = tokens.compareTo(cost) >= 0;
      tokens = fits ? tokens.subtract(cost) : tokens;
      return fits;
    }
  }

  // One unit of each comes back in a whole number of nanoseconds.
  @ParameterizedTest
  @CsvSource({
    "0.5, 1, 1",
    "0.5, 1.5, 1.5",
    "2.5, 10.25, 0.125",
    "12.5, 3.001, 0.5",
    "0.125, 0.5, 0.125",
    "1, 2.5, 1",
    "10, 10, 1.5",
    "0.001, 2, 0.001",
    "8, 10.5, 1.25",
  })
  void aBucketOfDecimalsAgreesWithExactArithmetic(String perSecond, String burst, String cost) {
    Rule rule = rule(perSecond, burst, cost);
    assertEquals(Thousandths.ONE, rule.budgets().get(0).policy().unit());
    Bucket bucket = new Bucket(perSecond, burst);
    Random random = new Random(7);
    Question question = new Question();
    Charges charges = new Charges();
    int passed = 0;
    int refused = 0;
    try (LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 0)) {
      LocalGate gate = new LocalGate(tables);
      long nowMs = 1_000;
      bucket.fill(nowMs);
      for (int step = 0; step < STEPS; step++) {
        nowMs += wait(random, perSecond, cost);
        question.start(Operation.CHECK, Purpose.DECISION);
        boolean isGiven = random.nextInt(10) == 0;
        if (isGiven) {
          question.cost(1 + random.nextInt(4));
        }
        charges.set(rule, group -> new HashOnly(77), question);
        Verdict verdict = gate.ask(1, charges, nowMs * MS, null);
        bucket.fill(nowMs);
        BigDecimal takes =
            isGiven ? BigDecimal.valueOf(question.costOf(0, 0)) : new BigDecimal(cost);
        assertEquals(bucket.take(takes), verdict.allowed(), "step " + step);
        passed += verdict.allowed() ? 1 : 0;
        refused += verdict.allowed() ? 0 : 1;
        if (verdict.policy().name().equals("r-1s")) {
          assertEquals(
              bucket.tokens.setScale(0, RoundingMode.DOWN).longValueExact(),
              verdict.remaining(),
              "step " + step);
        }
      }
    }
    assertTrue(passed > STEPS / 50 && refused > STEPS / 50, passed + " and " + refused);
  }

  /** About as long as a request's cost takes to come back. */
  private static long wait(Random random, String perSecond, String cost) {
    double backMs = 1000 * Double.parseDouble(cost) / Double.parseDouble(perSecond);
    return random.nextLong(Math.max(2, (long) (2 * backMs)));
  }

  private static Rule rule(String perSecond, String burst, String cost) {
    BudgetSpec.Builder bucket =
        new BudgetSpec.Builder()
            .algorithm(Algorithm.TOKEN_BUCKET)
            .rate(Rate.parse(perSecond + "/1s"))
            .burstThousandths(new BigDecimal(burst).movePointRight(3).longValueExact())
            .cost(CostSpec.ofThousandths(new BigDecimal(cost).movePointRight(3).longValueExact()));
    BudgetSpec.Builder beside = new BudgetSpec.Builder().rate(Rate.parse("100000000/2s"));
    RuleSpec spec = RuleSpec.builder("r").limits(List.of(bucket, beside)).build();
    spec.check(
        (field, fault) -> {
          throw fault;
        });
    return RuleSet.compile(List.of(spec), false, RuleSet.EMPTY, 0).rules().get(0);
  }
}
