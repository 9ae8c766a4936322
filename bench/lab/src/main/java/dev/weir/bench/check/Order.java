package dev.weir.bench.check;

import dev.weir.bench.keys.ZipfKeys;
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
    final ZipfKeys zipf = this == ZIPF ? new ZipfKeys(keys, 1) : null;
    Arrays.setAll(ids, i -> zipf == null ? random.nextInt(keys) : zipf.next(random));
    return ids;
  }
}
