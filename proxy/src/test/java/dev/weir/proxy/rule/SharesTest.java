package dev.weir.proxy.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.ZoneId;
import java.util.List;
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
    shares.divideBy(4);
    assertEquals(25, budget(first).share().capacity());
    assertSame(budget(first).share(), budget(first).share());
    RuleSet second = set(spec().mode(Mode.EXACT));
    shares.follow(second);
    assertEquals(25, budget(second).share().capacity());
    shares.divideBy(1);
    assertSame(budget(second).limit(), budget(second).share());
  }

  @Test
  void areTheWholeLimitWhereNobodyElseLetsPass() {
    RuleSet set = set(spec());
    shares.follow(set);
    shares.divideBy(4);
    assertSame(budget(set).limit(), budget(set).share());
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
      shares.divideBy(nodes);
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      assertEquals(100 / nodes, budget(set).share().capacity());
    }
    assertTrue(least < 1_000, least + " bytes");
  }
}
