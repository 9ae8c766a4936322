package dev.weir.proxy.simulation;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Who a request is for, by Zipf's law: the one of rank k, from 1, as often as 1 / k^exponent. */
final class Shares {
  private final double[] cumulative;
  private final int[] byRank;

  Shares(int count, double exponent) {
    cumulative = new double[count];
    byRank = new int[count];
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += StrictMath.pow(i + 1, -exponent);
      cumulative[i] = sum;
      byRank[i] = i;
    }
  }

  int draw(SplittableRandom random) {
    double drawn = random.nextDouble() * cumulative[cumulative.length - 1];
    int found = Arrays.binarySearch(cumulative, drawn);
    return byRank[Math.min(found >= 0 ? found + 1 : -found - 1, byRank.length - 1)];
  }

  /** Gives all of them other ranks. */
  void move(SplittableRandom random) {
    for (int i = byRank.length - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int moved = byRank[i];
      byRank[i] = byRank[other];
      byRank[other] = moved;
    }
  }
}
