package dev.weir.algorithms;

/** The bounds of arguments. Each exception names the value and what was expected. */
final class Bounds {
  private Bounds() {}

  static void atLeastOne(String name, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + ": " + value + " (expected: 1 or more)");
    }
  }

  static void range(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw outside(name, value, least, most);
    }
  }

  static void window(String name, long value) {
    range(name, value, Limit.MIN_WINDOW_NS, Limit.MAX_WINDOW_NS);
  }

  /** For a limit whose count shares a word with a stamp. */
  static void countable(String name, long value, long most, long windowNs) {
    atLeastOne(name, value);
    if (value > most) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: at most " + most + " for " + windowNs + " ns)");
    }
  }

  /** A time of a call. */
  static void time(String name, long value) {
    range(name, value, 1, Limit.MAX_TIME_NS);
  }

  static IllegalArgumentException outside(String name, long value, long least, long most) {
    return new IllegalArgumentException(
        name + ": " + value + " (expected: from " + least + " to " + most + ")");
  }
}
