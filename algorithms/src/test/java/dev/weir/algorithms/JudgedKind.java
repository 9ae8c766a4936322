package dev.weir.algorithms;

import java.math.BigInteger;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A limit at random, and its definition: whether a list of grants may have passed. Shares nothing
 * with the table, nor with the models of other tests.
 */
enum JudgedKind {
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
              times(sum(grants, from, to) - burst, windowNs).compareTo(times(to - from + 2, units))
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

  /** The most cells that a drawn limit needs. */
  static final int CELLS = 64;

  private static final long SECOND = 1_000_000_000L;

  /** Units that passed at a time. */
  record Grant(long atNs, long units) {}

  /**
   * @param spanNs how long a full budget takes to come back, or so.
   */
  record Judged(Limit limit, long spanNs, Definition definition) {}

  /** Whether grants may have passed, of those between the times of two of them. */
  interface Definition {
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
}
