package dev.weir.bench.check;

import java.util.Arrays;
import java.util.SplittableRandom;

/** In which order keys are asked for. A hot key is either one with a single key. */
public enum Order {
  /** Every key as often as any other. */
  UNIFORM,

  /** Key {@code k} with a weight of {@code 1 / (k + 1)}: of a million, the first gets 7 %. */
  ZIPF;

  int[] draw(int keys, int length) {
    final SplittableRandom random = new SplittableRandom(42);
    final int[] ids = new int[length];
    if (this == UNIFORM) {
      Arrays.setAll(ids, i -> random.nextInt(keys));
      return ids;
    }
    final double[] sums = new double[keys];
    double sum = 0;
    for (int key = 0; key < keys; key++) {
      sum += 1.0 / (key + 1);
      sums[key] = sum;
    }
    for (int i = 0; i < length; i++) {
      final int found = Arrays.binarySearch(sums, random.nextDouble() * sum);
      ids[i] = Math.min(found < 0 ? -found - 1 : found, keys - 1);
    }
    return ids;
  }
}
