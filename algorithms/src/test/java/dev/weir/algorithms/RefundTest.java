package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
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
  private static final int CELLS = 64;

  private final LimitTable table = new LimitTable(64, CELLS);
  private final Decision out = new Decision();

  private record Grant(long atNs, long units) {}

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

  /** A limit at random, and its definition: whether a list of grants may have passed. */
  private enum Kind {
    METER {
      @Override
      Judged draw(SplittableRandom random) {
        final long units = 1 + random.nextInt(2_000);
        final long windowNs = SECOND + random.nextLong(10 * SECOND);
        final long burst = 1 + random.nextInt(200);
        // In [u, t] no more than the burst and what comes back meanwhile. A tick has 2 ns at most.
        return new Judged(
            Limit.gcra(units, windowNs, burst),
            burst * windowNs / units,
            (grants, from, to) ->
                times(sum(grants, from, to) - burst, windowNs)
                        .compareTo(times(to - from + 2, units))
                    <= 0);
      }
    },
    FIXED_WINDOW {
      @Override
      Judged draw(SplittableRandom random) {
        final long limit = 1 + random.nextInt(200);
        return new Judged(
            Limit.fixedWindow(limit, SECOND, 0),
            SECOND,
            (grants, from, to) -> sum(grants, to / SECOND * SECOND, to) <= limit);
      }
    },
    SLIDING_COUNTER {
      @Override
      Judged draw(SplittableRandom random) {
        final long limit = 1 + random.nextInt(200);
        return new Judged(
            Limit.slidingCounter(limit, SECOND),
            SECOND,
            (grants, from, to) -> {
              final long startNs = to / SECOND * SECOND;
              final long before = sum(grants, startNs - SECOND, startNs - 1);
              return times(before, startNs + SECOND - to)
                      .compareTo(times(limit - sum(grants, startNs, to), SECOND))
                  <= 0;
            });
      }
    },
    SLIDING_LOG {
      @Override
      Judged draw(SplittableRandom random) {
        final long limit = 1 + random.nextInt(CELLS);
        return new Judged(
            Limit.slidingLog(limit, SECOND),
            SECOND,
            (grants, from, to) -> sum(grants, to - SECOND + 1, to) <= limit);
      }
    },
    BUCKET_RING {
      @Override
      Judged draw(SplittableRandom random) {
        final long limit = 1 + random.nextInt(200);
        final long widthNs = SECOND / 8;
        return new Judged(
            Limit.bucketRing(limit, SECOND, 8),
            SECOND,
            (grants, from, to) -> sum(grants, (to / widthNs - 7) * widthNs, to) <= limit);
      }
    };

    abstract Judged draw(SplittableRandom random);
  }

  /**
   * @param spanNs how long a full budget takes to come back, or so.
   */
  private record Judged(Limit limit, long spanNs, Definition definition) {}

  /** Whether grants may have passed, of those between the times of two of them. */
  private interface Definition {
    boolean holds(List<Grant> grants, long fromNs, long toNs);
  }

  private static BigInteger times(long a, long b) {
    return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
  }

  private static long sum(List<Grant> grants, long fromNs, long toNs) {
    long sum = 0;
    for (Grant grant : grants) {
      sum += grant.atNs >= fromNs && grant.atNs <= toNs ? grant.units : 0;
    }
    return sum;
  }

  @ParameterizedTest
  @EnumSource
  void neverIsMoreKeptThanTheLimitWhateverIsGivenBackAndWhen(Kind kind) {
    final long seed = Long.getLong("weir.seed", System.nanoTime());
    final SplittableRandom random = new SplittableRandom(seed);
    int refunds = 0;
    long nowNs = 1;
    for (int round = 0; round < ROUNDS; round++) {
      final String where = "weir.seed=" + seed + ", round " + round;
      final Judged judged = kind.draw(random);
      final List<Grant> kept = new ArrayList<>();
      table.reset(1, nowNs);
      nowNs += 10 * SECOND + random.nextLong(SECOND);
      for (int step = 0; step < STEPS; step++) {
        nowNs += random.nextInt(3) == 0 ? 0 : random.nextLong(judged.spanNs / 4 + 1);
        if (random.nextInt(3) == 0 && !kept.isEmpty()) {
          final int newest = kept.size() - 1;
          final Grant any = kept.remove(random.nextBoolean() ? newest : random.nextInt(newest + 1));
          refunds += table.refund(1, judged.limit, any.units, any.atNs, nowNs) ? 1 : 0;
        } else {
          final long wanted = 1 + random.nextLong(judged.limit.capacity());
          final long granted = grant(judged.limit, wanted, nowNs);
          if (granted > 0) {
            kept.add(new Grant(nowNs, granted));
          }
        }
        for (Grant from : kept) {
          assertTrue(judged.definition.holds(kept, from.atNs, nowNs), where);
        }
      }
    }
    assertTrue(refunds > ROUNDS, "refunds " + refunds);
  }
}
