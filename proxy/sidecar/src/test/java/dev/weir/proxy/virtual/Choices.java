package dev.weir.proxy.virtual;

import java.util.Arrays;

/**
 * The random choices of one episode: drawn from a seed and kept, or repeated from a list. Behind
 * the end of a list every choice is 0, so 0 is always what disturbs least, and a shorter list is a
 * smaller episode.
 */
final class Choices {
  private final int[] repeated;
  private int[] made = new int[256];
  private int count;
  private long state;

  /** Draws from a seed. */
  Choices(long seed) {
    repeated = null;
    state = seed;
  }

  /** Repeats choices. */
  Choices(int[] repeated) {
    this.repeated = repeated;
  }

  /** A number from 0 to one less than {@code bound}. */
  int below(int bound) {
    int choice;
    if (repeated == null) {
      choice = (int) ((next() >>> 33) * bound >>> 31);
    } else {
      choice = count < repeated.length ? repeated[count] % bound : 0;
    }
    if (count == made.length) {
      made = Arrays.copyOf(made, 2 * count);
    }
    made[count++] = choice;
    return choice;
  }

  /** True once in so many times. */
  boolean oneIn(int times) {
    return below(times) == times - 1;
  }

  /** One of some values, of which the first disturbs least. */
  int of(int... values) {
    return values[below(values.length)];
  }

  /** The choices that were made, for {@link #Choices(int[])}. */
  int[] made() {
    return Arrays.copyOf(made, count);
  }

  /** Whether a list is at its end. */
  boolean isOver() {
    return repeated != null && count >= repeated.length;
  }

  private long next() { // SplitMix64
    state += 0x9E37_79B9_7F4A_7C15L;
    return mix(state);
  }

  /** A seed that follows from another, and a number. */
  static long seed(long of, long number) {
    return mix(of + mix(number + 0x9E37_79B9_7F4A_7C15L));
  }

  private static long mix(long value) {
    long mixed = (value ^ value >>> 30) * 0xBF58_476D_1CE4_E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D0_49BB_1331_11EBL;
    return mixed ^ mixed >>> 31;
  }
}
