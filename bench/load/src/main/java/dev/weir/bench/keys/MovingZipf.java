package dev.weir.bench.keys;

import java.util.SplittableRandom;

/**
 * Numbers by Zipf's law, of which others become the frequent ones: that of rank k, from 1, is drawn
 * as often as 1 / k^exponent.
 */
public final class MovingZipf {
  private final ZipfKeys ranks;
  private final int[] byRank;

  /**
   * @param count of numbers, from 0 on; first each has the rank of its place.
   */
  public MovingZipf(int count, double exponent) {
    ranks = new ZipfKeys(count, exponent);
    byRank = new int[count];
    for (int i = 0; i < count; i++) {
      byRank[i] = i;
    }
  }

  public int draw(SplittableRandom random) {
    return byRank[ranks.next(random)];
  }

  /** The number that is drawn most often now. */
  public int first() {
    return byRank[0];
  }

  /** Gives all of them other ranks: each may have any. */
  public void move(SplittableRandom random) {
    for (int i = byRank.length - 1; i > 0; i--) {
      final int other = random.nextInt(i + 1);
      final int moved = byRank[i];
      byRank[i] = byRank[other];
      byRank[other] = moved;
    }
  }
}
