package dev.weir.proxy.admission.ban;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rule.RuleBans;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.BanSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.fleet.BanBook;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BanNewsTest {
  private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);
  private static final long HOUR_MS = TimeUnit.HOURS.toMillis(1);
  private static final RuleSet RULES = rules();
  private static final RuleBans RULE = RULES.find("r").bans();

  private static RuleSet rules() {
    RuleSpec.Builder rule = RuleSpec.builder("r");
    rule.ban(new BanSpec(BanSpec.parseAfter("1/1m"), List.of(HOUR_NS, 2 * HOUR_NS), 10 * HOUR_NS));
    rule.key(KeySpec.parse("header:x-user-id")).rate(Rate.parse("1/1h"));
    return RuleSet.compile(List.of(rule.build()), false, RuleSet.EMPTY, 0);
  }

  private static final class Sidecar {
    final Bans bans = new Bans("");
    final BanBook book = bans.share();

    Sidecar() {
      bans.use(RULES);
    }

    List<BanBook.Ban> tells(long nowNs) {
      List<BanBook.News> told = book.untold(100, nowNs);
      book.told();
      return told.stream().map(BanBook.News::ban).toList();
    }
  }

  private final Sidecar one = new Sidecar();
  private final Sidecar other = new Sidecar();

  private static void learn(Sidecar of, String name, long leftMs, int times, long nowNs) {
    of.book.learned(new BanBook.Ban(name, leftMs, times, leftMs + 10 * HOUR_MS), nowNs);
  }

  @Test
  void tellsOfABanByItsNameTheRestOfItAndWhenItIsForgotten() {
    assertEquals(HOUR_NS, one.bans.refused(RULE, 0xABCL, HOUR_NS));
    assertEquals(
        "[Ban[name=r:0000000000000abc, leftMs=2400000, times=1, keptMs=38400000]]",
        one.tells(HOUR_NS + HOUR_NS / 3).toString());
    assertEquals(List.of(), one.tells(HOUR_NS));
  }

  @Test
  void tellsAgainWhatTheStoreDidNotAnswer() {
    one.bans.refused(RULE, 7, HOUR_NS);
    assertEquals(1, one.book.untold(100, HOUR_NS).size());
    one.bans.refused(RULE, 8, HOUR_NS);
    assertEquals(2, one.tells(HOUR_NS).size());
  }

  @Test
  void learnsOfBansAlsoOfThoseThatEndedBeforeItsStart() {
    learn(other, "r:0000000000000abc", HOUR_MS, 3, 1);
    assertEquals(HOUR_NS, other.bans.leftNs(0xABC, 1), 1e6);
    learn(other, "r:0000000000000abc", HOUR_MS / 2, 1, 1);
    assertEquals(HOUR_NS, other.bans.leftNs(0xABC, 1), 1e6, "the later end stays");
    assertEquals(List.of(), other.tells(1), "what is learned is not told");
    learn(other, "r:0000000000000def", -HOUR_MS, 1, 1);
    assertEquals(0, other.bans.leftNs(0xDEF, 1));
    assertEquals(2 * HOUR_NS, other.bans.refused(RULE, 0xDEF, 1), 2e6, "it is the second");
    learn(other, "r:0000000000000fed", -11 * HOUR_MS, 1, 1);
    assertEquals(HOUR_NS, other.bans.refused(RULE, 0xFED, 1), 2e6, "forgotten");
  }

  @Test
  void whatItHasToldItselfIsNotNews() {
    one.bans.refused(RULE, 7, 1);
    learn(one, "r:0000000000000007", HOUR_MS + 900, 1, 1);
    assertEquals(HOUR_NS, one.bans.leftNs(7, 1), 1e6);
    assertEquals(0, one.bans.learnedCount());
    learn(one, "r:0000000000000007", HOUR_MS + 2000, 1, 1);
    assertEquals(1, one.bans.learnedCount());
  }

  @Test
  void anEndIsToldAndLearned() {
    one.bans.refused(RULE, 7, 1);
    learn(other, "r:0000000000000007", HOUR_MS, 1, 1);
    one.bans.end(RULE, 7, 1);
    BanBook.Ban last = one.tells(1).get(1);
    assertEquals(0, last.times());
    learn(other, last.name(), last.leftMs(), last.times(), 1);
    assertEquals(0, other.bans.leftNs(7, 1));
    assertEquals(HOUR_NS, other.bans.refused(RULE, 7, 1), 2e6, "the first again");
  }

  @Test
  void tellsHowLongAgoAnEndWas() {
    one.bans.end(RULE, 7, HOUR_NS);
    assertEquals(HOUR_MS, one.book.untold(100, 2 * HOUR_NS).get(0).agoMs());
  }

  @Test
  void whatWasForgottenDoesNotComeBackWithABanOfAnotherSidecar() {
    learn(one, "r:0000000000000007", HOUR_MS, 5, 1);
    long afterNs = 12 * HOUR_NS;
    other.bans.refused(RULE, 7, afterNs);
    BanBook.Ban first = other.tells(afterNs).get(0);
    one.book.learned(first, afterNs);
    assertEquals(1, one.bans.ban(first.name(), 7, 10 * HOUR_MS, afterNs).times());
  }

  @Test
  void whatOthersWriteBansNobodyAndBreaksNothing() {
    for (String name : List.of("", "r", "r:xyz", "r:zzzzzzzzzzzzzzzz", "r:00000000000000070")) {
      learn(other, name, Long.MAX_VALUE / 2, Integer.MAX_VALUE, 1);
    }
    learn(other, "r:0000000000000007", Long.MAX_VALUE, 1, 1);
    learn(other, "r:0000000000000007", Long.MIN_VALUE, 1, 1);
    assertTrue(other.bans.leftNs(8, 1) == 0);
  }

  @Test
  void keepsSoManyAndCountsTheRest() {
    for (int key = 1; key <= BanNews.MOST + 5; key++) {
      one.bans.end(RULE, key, 1);
    }
    assertEquals(5, one.bans.untoldCount());
  }
}
