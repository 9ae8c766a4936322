package dev.weir.scripts;

/** Whole numbers that Lua's doubles hold exactly, and what is said of others. */
final class Exact {
  /** The largest. */
  static final long MAX = (1L << 53) - 1;

  private Exact() {}

  /**
   * {@code units * times} if both are 1 or more and the product is at most {@link #MAX}, else 0.
   */
  static long product(long units, long times) {
    if (units < 1 || times < 1 || Math.multiplyHigh(units, times) != 0) {
      return 0;
    }
    final long product = units * times;
    return product < 0 || product > MAX ? 0 : product;
  }

  static void range(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: from " + least + " to " + most + ")");
    }
  }

  static void bounded(String name, long value, long most) {
    if (value > most) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: at most " + most + ", to be exact in microseconds)");
    }
  }
}
