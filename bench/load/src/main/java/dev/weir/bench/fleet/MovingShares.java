package dev.weir.bench.fleet;

import dev.weir.bench.keys.ZipfKeys;
import java.util.SplittableRandom;

/**
 * Which sidecar a request goes to: the k-th busiest has a share proportional to 1/k, and every so
 * often others become the busy ones. The same in every run. Not thread-safe.
 */
final class MovingShares {
  private static final double EXPONENT = 1;
  private static final long SEED = 0x5EED;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final ZipfKeys ranks;
  private final int[] byRank;

  MovingShares(int sidecars) {
    ranks = new ZipfKeys(sidecars, EXPONENT);
    byRank = new int[sidecars];
    for (int i = 0; i < sidecars; i++) {
      byRank[i] = i;
    }
  }

  int next() {
    return byRank[ranks.next(random)];
  }

  /** The one with the greatest share now. */
  int busiest() {
    return byRank[0];
  }

  /** Gives all of them other shares: each may have any. */
  void move() {
    for (int i = byRank.length - 1; i > 0; i--) {
      final int other = random.nextInt(i + 1);
      final int moved = byRank[i];
      byRank[i] = byRank[other];
      byRank[other] = moved;
    }
  }
}
