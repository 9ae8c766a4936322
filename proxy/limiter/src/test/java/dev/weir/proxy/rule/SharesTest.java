package dev.weir.proxy.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.algorithms.Decision;
import dev.weir.algorithms.LimitTable;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.Alignment;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.lang.management.ManagementFactory;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SharesTest {
  private final Shares shares = new Shares();

  private static RuleSpec.Builder spec() {
    return RuleSpec.builder("r").rate(Rate.parse("100/1m"));
  }

  private static RuleSet set(RuleSpec.Builder spec) {
    return RuleSet.compile(List.of(spec.build()), false, RuleSet.EMPTY, 0);
  }

  private static Budget budget(RuleSet set) {
    return set.rules().get(0).budgets().get(0);
  }

  @Test
  void areMadeWhenTheRulesOrTheNumberOfNodesChangeAndNotWhenAsked() {
    RuleSet first = set(spec().mode(Mode.EXACT));
    assertSame(budget(first).limit(), budget(first).share(), "before anybody counts");
    shares.follow(first);
    shares.divideBy(4, 0);
    assertEquals(25, budget(first).share().capacity());
    assertSame(budget(first).share(), budget(first).share());
    RuleSet second = set(spec().mode(Mode.EXACT));
    shares.follow(second);
    assertEquals(25, budget(second).share().capacity());
    shares.divideBy(1, 0);
    assertSame(budget(second).limit(), budget(second).share());
  }

  @Test
  void areTheWholeLimitWhereNobodyElseLetsPass() {
    RuleSet set = set(spec());
    shares.follow(set);
    shares.divideBy(4, 0);
    assertSame(budget(set).limit(), budget(set).share());
  }

  @Test
  void comeBackNoFasterThanTheWholeHoweverManyNodesThereAre() {
    RuleSet set = set(spec().rate(Rate.parse("1/365d")).mode(Mode.EXACT));
    shares.follow(set);
    Decision decision = new Decision();
    for (int nodes = 2; nodes < 2_000; nodes++) {
      shares.divideBy(nodes, 0);
      try (LimitTable table = new LimitTable(LimitTable.MIN_SLOT_COUNT)) {
        assertTrue(table.check(1, budget(set).share(), 1, 1, decision));
        assertFalse(table.check(1, budget(set).share(), 1, 1, decision));
      }
      long days = TimeUnit.NANOSECONDS.toDays(decision.retryAfterNs());
      assertTrue(days >= 365, nodes + " nodes: a request in " + days + " days");
    }
  }

  @Test
  void makeACalendarsShareWithoutItsDays() {
    RuleSet set =
        set(
            RuleSpec.builder("r")
                .mode(Mode.EXACT)
                .algorithm(Algorithm.FIXED_WINDOW)
                .align(Alignment.DAY)
                .zone(ZoneId.of("Europe/Berlin"))
                .rate(Rate.parse("100/1d")));
    shares.follow(set);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int nodes = 2; nodes < 10; nodes++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      shares.divideBy(nodes, 0);
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      assertEquals(100 / nodes, budget(set).share().capacity());
    }
    assertTrue(least < 1_000, least + " bytes");
  }
}
