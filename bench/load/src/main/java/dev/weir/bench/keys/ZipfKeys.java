package dev.weir.bench.keys;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Keys by Zipf's law: key k, counted from 0, has a share proportional to 1 / (k + 1)^exponent. */
public final class ZipfKeys {
  private final double[] cumulative;

  /**
   * @param exponent 0 or more; 0 makes all keys alike.
   */
  public ZipfKeys(int keyCount, double exponent) {
    cumulative = new double[keyCount];
    double sum = 0;
    for (int key = 0; key < keyCount; key++) {
      sum += StrictMath.pow(key + 1, -exponent);
      cumulative[key] = sum;
    }
    for (int key = 0; key < keyCount; key++) {
      cumulative[key] /= sum;
    }
  }

  public int next(SplittableRandom random) {
    final int found = Arrays.binarySearch(cumulative, random.nextDouble());
    return Math.min(found >= 0 ? found + 1 : -found - 1, cumulative.length - 1);
  }

  /** The key's share of all requests, from 0 to 1. */
  public double share(int key) {
    return key == 0 ? cumulative[0] : cumulative[key] - cumulative[key - 1];
  }
}
