package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.CostAtEnd;
import dev.weir.proxy.rule.spec.CostSpec;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReserveTest {
  private static final CostAtEnd LEARNED =
      CostAtEnd.of(ReportedCost.ofTrailer(FieldName.of("x-tokens")));

  private static RuleSet rules(RuleSet previous, String id, String rate, CostAtEnd cost) {
    CostSpec spec = CostSpec.ofReported(cost);
    RuleSpec rule = RuleSpec.builder(id).rate(Rate.parse(rate)).cost(spec).build();
    return RuleSet.compile(List.of(rule), false, previous, 0);
  }

  private static Budget limit(RuleSet rules) {
    return rules.rules().get(0).budgets().get(0);
  }

  private static Reserve reserve(String rate) {
    return new Reserve(limit(rules(RuleSet.EMPTY, "r", rate, LEARNED)), null);
  }

  @Test
  void beginsWithASixteenthUntilThirtyTwoAnswers() {
    Reserve reserve = reserve("20k/1m");
    for (int answers = 0; answers < 32; answers++) {
      assertEquals(1_250, reserve.units(), "answers " + answers);
      reserve.learn(1_000);
    }
    // Of 1,500 = 0b101_1101_1100 two bits are kept, rounded up.
    assertEquals(1_536, reserve.units());
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1, 1",
    "2, 2",
    "3, 3",
    "4, 4",
    "5, 6",
    "6, 6",
    "7, 8",
    "8, 8",
    "9, 12",
    "12, 12",
    "13, 16",
    "1025, 1536",
    "1536, 1536",
    "1537, 2048"
  })
  void keepsTwoBits(long number, long rounded) {
    assertEquals(rounded, Reserve.roundedUp(number));
  }

  @Test
  void staysBetweenOneAndAQuarterOfTheCapacity() {
    Reserve reserve = reserve("20k/1m");
    answer(reserve, 100, 1L << 62);
    assertEquals(5_000, reserve.units());
    answer(reserve, 5_000, 0);
    assertEquals(1, reserve.units());
    Reserve small = reserve("3/1m");
    answer(small, 100, 3);
    assertEquals(1, small.units(), "a quarter of 3, and one at least");
  }

  private static void answer(Reserve reserve, int times, long cost) {
    for (int i = 0; i < times; i++) {
      reserve.learn(cost);
    }
  }

  /** The definition, in exact decimals, on random costs. */
  @Test
  void isOneAndAHalfTimesTheMovingMean() {
    Random random = new Random(7);
    for (int trace = 0; trace < 50; trace++) {
      long capacity = 1L << 4 + random.nextInt(40);
      Reserve reserve = reserve(capacity + "/1d");
      long bound = 1 + (long) (random.nextDouble() * capacity);
      BigDecimal mean = BigDecimal.ZERO;
      for (int answers = 1; answers <= 300; answers++) {
        long cost = (long) (random.nextDouble() * bound);
        reserve.learn(cost);
        BigDecimal of = BigDecimal.valueOf(cost).subtract(mean);
        int weight = Math.min(answers, 64);
        mean = mean.add(of.divide(BigDecimal.valueOf(weight), MathContext.DECIMAL128));
        if (answers >= 32) {
          assertReserve(mean, capacity, reserve.units());
        }
      }
    }
  }

  /** The fraction of the mean has ten bits; each answer may lose the last of them. */
  private static void assertReserve(BigDecimal mean, long capacity, long units) {
    BigDecimal error = BigDecimal.valueOf(0.15);
    List<Long> allowed = new ArrayList<>();
    for (BigDecimal near : List.of(mean.subtract(error), mean, mean.add(error))) {
      long wanted =
          near.multiply(BigDecimal.valueOf(1.5)).setScale(0, RoundingMode.CEILING).longValue();
      allowed.add(Math.max(1, Math.min(twoBits(Math.max(0, wanted)), Math.max(1, capacity / 4))));
    }
    assertTrue(allowed.contains(units), units + " of " + mean + ", not one of " + allowed);
  }

  private static long twoBits(long number) {
    long step = 1;
    while (number > 3 * step) {
      step *= 2;
    }
    return (number + step - 1) / step * step;
  }

  @Test
  void forgetsNothingAtAReloadThatLeavesTheLimit() {
    Reserves reserves = new Reserves();
    RuleSet first = rules(RuleSet.EMPTY, "r", "20k/1m", LEARNED);
    reserves.use(first);
    for (int i = 0; i < 32; i++) {
      reserves.learn(limit(first), 2);
    }
    assertEquals(3, reserves.units(limit(first), null));
    RuleSet second = rules(first, "r", "20k/1m", LEARNED);
    reserves.use(second);
    assertEquals(3, reserves.units(limit(second), null));
    reserves.use(rules(second, "other", "20k/1m", LEARNED));
    assertEquals(1_250, reserves.units(limit(second), null), "a limit that is gone");
    reserves.learn(limit(second), 2);
  }

  @Test
  void keepsWithinTheNumbersOfAChangedLimit() {
    Reserves reserves = new Reserves();
    RuleSet first = rules(RuleSet.EMPTY, "r", "16000/1m", LEARNED);
    reserves.use(first);
    assertEquals(1_000, reserves.units(limit(first), null));
    RuleSet lower = rules(first, "r", "160/1m", LEARNED);
    reserves.use(lower);
    assertEquals(10, reserves.units(limit(lower), null));
    for (int i = 0; i < 32; i++) {
      reserves.learn(limit(lower), 2_000);
    }
    assertEquals(40, reserves.units(limit(lower), null));
    RuleSet higher = rules(lower, "r", "16000/1m", LEARNED);
    reserves.use(higher);
    assertEquals(3_072, reserves.units(limit(higher), null), "what was learned stays");
  }

  @Test
  void aHeaderOnlyRaisesIt() {
    Reserves reserves = new Reserves();
    RuleSet rules =
        rules(
            RuleSet.EMPTY,
            "r",
            "20k/1m",
            LEARNED.reservingByHeader(KeyPart.parse("header:x-max"), 8_000));
    reserves.use(rules);
    String[] said = {"1", "1250", "1251", "8000", "9000", "99999999999999999999", "-5", "1e3", ""};
    long[] held = {1_250, 1_250, 1_251, 8_000, 8_000, 8_000, 1_250, 1_250, 1_250};
    for (int i = 0; i < said.length; i++) {
      RequestView head = TextRequest.of("GET", "/", "x-max", said[i]);
      assertEquals(held[i], reserves.units(limit(rules), head), said[i]);
    }
    RequestView twice = TextRequest.of("GET", "/", "x-max", "2000", "x-max", "2000");
    assertEquals(1_250, reserves.units(limit(rules), twice));
    assertEquals(1_250, reserves.units(limit(rules), TextRequest.of("GET", "/")));
  }

  @Test
  void aNumberIsHeldAsItIs() {
    Reserves reserves = new Reserves();
    RuleSet rules = rules(RuleSet.EMPTY, "r", "20k/1m", LEARNED.reserving(4_000));
    reserves.use(rules);
    for (int i = 0; i < 100; i++) {
      reserves.learn(limit(rules), 1);
    }
    assertEquals(4_000, reserves.units(limit(rules), null));
  }
}
