package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A refund is never more than what the charge still occupies. The judge of it keeps a list of the
 * grants that were kept, and knows the definition of each limit; it shares nothing with the table,
 * nor with the models of the other tests.
 */
class RefundTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long MS = 1_000_000L;
  private static final int ROUNDS = 2_000;
  private static final int STEPS = 60;

  private final LimitTable table = new LimitTable(64, JudgedKind.CELLS);
  private final Decision out = new Decision();

  @AfterEach
  void close() {
    table.close();
  }

  private long grant(Limit limit, long wanted, long nowNs) {
    return Grants.upTo(table, 1, limit, wanted, nowNs, out);
  }

  @Test
  void aMeterGivesBackOnlyWhatHasNotDrained() {
    final Limit limit = Limit.gcra(1_000, SECOND, 100);
    final long laterNs = SECOND + 50 * MS;
    assertEquals(100, grant(limit, 100, SECOND));
    assertEquals(50, grant(limit, 50, laterNs));
    assertTrue(table.refund(1, limit, 100, SECOND, laterNs));
    // Time had given 50 of the 100 back, and they were granted again.
    assertEquals(50, grant(limit, 100, laterNs));
  }

  @Test
  void aMeterGivesNothingBackOnceAllHasDrained() {
    final Limit limit = Limit.gcra(1_000, SECOND, 100);
    assertEquals(30, grant(limit, 30, SECOND));
    final long justBeforeNs = SECOND + 30 * MS - 1;
    assertEquals(60, grant(limit, 60, justBeforeNs - 10 * MS));
    assertTrue(table.refund(1, limit, 30, SECOND, justBeforeNs));
    assertFalse(table.refund(1, limit, 30, SECOND, justBeforeNs + 1));
  }

  @Test
  void aQueueTakesNothingBack() {
    final Limit limit = Limit.leakyBucketQueue(10, 10, SECOND, SECOND);
    assertTrue(table.check(1, limit, 1, SECOND, out));
    assertTrue(table.check(1, limit, 1, SECOND, out));
    assertEquals(SECOND / 10, out.waitNs());
    assertFalse(table.refund(1, limit, 1, SECOND, SECOND));
    assertTrue(table.check(1, limit, 1, SECOND, out));
    assertEquals(SECOND / 5, out.waitNs(), "the second one's slot is taken");
  }

  @ParameterizedTest
  @EnumSource
  void neverIsMoreKeptThanTheLimitWhateverIsGivenBackAndWhen(JudgedKind kind) {
    final long seed = Long.getLong("weir.seed", 1);
    final SplittableRandom random = new SplittableRandom(seed);
    int refunds = 0;
    long nowNs = 1;
    for (int round = 0; round < ROUNDS; round++) {
      final String where = "weir.seed=" + seed + ", round " + round;
      final JudgedKind.Judged judged = kind.draw(random);
      final List<JudgedKind.Grant> kept = new ArrayList<>();
      table.reset(1, nowNs);
      nowNs += 10 * SECOND + random.nextLong(SECOND);
      for (int step = 0; step < STEPS; step++) {
        nowNs += random.nextInt(3) == 0 ? 0 : random.nextLong(judged.spanNs() / 4 + 1);
        if (random.nextInt(3) == 0 && !kept.isEmpty()) {
          final int newest = kept.size() - 1;
          final JudgedKind.Grant any =
              kept.remove(random.nextBoolean() ? newest : random.nextInt(newest + 1));
          refunds += table.refund(1, judged.limit(), any.units(), any.atNs(), nowNs) ? 1 : 0;
        } else {
          final long wanted = 1 + random.nextLong(judged.limit().capacity());
          final long granted = grant(judged.limit(), wanted, nowNs);
          if (granted > 0) {
            kept.add(new JudgedKind.Grant(nowNs, granted));
          }
        }
        for (JudgedKind.Grant from : kept) {
          assertTrue(judged.definition().holds(kept, from.atNs(), nowNs), where);
        }
      }
    }
    assertTrue(refunds > ROUNDS, "refunds " + refunds);
  }
}
