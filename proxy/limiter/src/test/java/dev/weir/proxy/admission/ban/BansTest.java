package dev.weir.proxy.admission.ban;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rule.RuleBans;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.BanSpec;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.fleet.BanBook;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BansTest {
  private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);
  private static final long KEY = 0xABC;

  private final Bans bans = new Bans("");
  private final RuleBans rule = rule();

  /** Three refusals within an hour ban for a minute. */
  private RuleBans rule() {
    RuleSpec.Builder spec = RuleSpec.builder("r");
    spec.ban(
        new BanSpec(
            BanSpec.parseAfter("3/1h"), List.of(MINUTE_NS, 2 * MINUTE_NS), BanSpec.FORGET_NS));
    RuleSet rules =
        RuleSet.compile(List.of(spec.rate(Rate.parse("1/1h")).build()), false, RuleSet.EMPTY, 0);
    bans.use(rules);
    return rules.find("r").bans();
  }

  @Test
  void refusalsThatComeLateWhileBannedCountForNoLaterBan() {
    assertEquals(0, bans.refused(rule, KEY, 1));
    assertEquals(0, bans.refused(rule, KEY, 1));
    assertEquals(MINUTE_NS, bans.refused(rule, KEY, 1), 1e6);
    for (int i = 0; i < 10; i++) {
      assertEquals(MINUTE_NS, bans.refused(rule, KEY, 1), 1e6, "it is told the ban");
    }
    long afterNs = 1 + MINUTE_NS + 2_000_000;
    assertEquals(0, bans.refused(rule, KEY, afterNs));
    assertEquals(0, bans.refused(rule, KEY, afterNs));
    assertEquals(2 * MINUTE_NS, bans.refused(rule, KEY, afterNs), 1e6);
  }

  @Test
  void refusalsBeforeABanOfAnotherSidecarCountForNoLaterBan() {
    bans.refused(rule, KEY, 1);
    bans.refused(rule, KEY, 1);
    bans.learned(KEY, new BanBook.Ban("r:0000000000000abc", 60_000, 1, 120_000_000), 1);
    long afterNs = 1 + MINUTE_NS + 2_000_000;
    assertEquals(0, bans.refused(rule, KEY, afterNs));
    assertEquals(0, bans.refused(rule, KEY, afterNs));
    assertEquals(2 * MINUTE_NS, bans.refused(rule, KEY, afterNs), 1e6);
  }

  @Test
  void manyThreadsBeginOneBan() throws Exception {
    AtomicInteger told = new AtomicInteger();
    for (int round = 1; round <= 200; round++) {
      long key = round * 0x9E37_79B9_7F4A_7C15L;
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        threads.add(
            new Thread(
                () -> {
                  for (int j = 0; j < 3; j++) {
                    told.addAndGet(bans.refused(rule, key, 1) > 0 ? 1 : 0);
                  }
                }));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(round, bans.begunCount());
    }
    assertTrue(told.get() >= 200 * 5, told + " of nine each but two, and two on the way");
  }
}
