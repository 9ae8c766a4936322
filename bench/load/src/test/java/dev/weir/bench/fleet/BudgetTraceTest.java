package dev.weir.bench.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Rate;
import org.junit.jupiter.api.Test;

class BudgetTraceTest {
  private static final LimitSpec LIMIT = FleetOptions.limit(Algorithm.GCRA, Rate.parse("10/1s"));

  @Test
  void whatIsOverIsFoundAmongTheAdmittedOnly() {
    final BudgetTrace trace = new BudgetTrace();
    for (int i = 0; i < 10; i++) {
      trace.admitted.add(1_000, 1_200);
    }
    trace.refused.add(1_000, 1_200);
    trace.undecided.add(1_000, 1_200);
    assertEquals(0, trace.over(LIMIT));
    trace.admitted.add(1_100, 1_300);
    assertEquals(1, trace.over(LIMIT));
  }

  @Test
  void oneLimiterWithoutDelayWouldHaveAdmittedAsMuchAsTheLimitOfAllThatCame() {
    final BudgetTrace trace = new BudgetTrace();
    for (int i = 0; i < 3; i++) {
      trace.undecided.add(1_000, 1_200);
      trace.refused.add(1_000, 1_200);
    }
    for (int i = 0; i < 6; i++) {
      trace.admitted.add(1_000, 1_200);
    }
    assertEquals(10, trace.ideal(LIMIT));
    trace.refused.add(101_000, 101_000);
    assertEquals(11, trace.ideal(LIMIT));
  }

  @Test
  void aRefusalIsEarlyWhileWhatWasAdmittedLeavesRoom() {
    final BudgetTrace trace = new BudgetTrace();
    for (int i = 0; i < 9; i++) {
      trace.admitted.add(1_000, 1_200);
    }
    trace.refused.add(2_000, 2_200);
    assertEquals(1, trace.early(LIMIT));
    trace.admitted.add(1_500, 1_500);
    assertEquals(0, trace.early(LIMIT));
    // A unit has come back by then.
    trace.refused.add(200_000, 200_000);
    assertEquals(1, trace.early(LIMIT));
  }
}
