package dev.weir.proxy.envoy;

import dev.weir.proxy.control.Faults;

/**
 * How much a file may amount to once its aliases are followed: a few short lines of anchors can
 * mean billions. One per file.
 */
final class YamlBudget {
  static final int MAX_VALUES = 200_000;
  static final int MAX_DEPTH = 32;

  private final Faults faults;
  private int values;
  private int depth;
  private boolean isSpent;

  YamlBudget(Faults faults) {
    this.faults = faults;
  }

  /** Counts one more value; false, and one fault, if there were too many. */
  boolean take(int line) {
    if (++values > MAX_VALUES) {
      spent(line, "too large once its aliases are followed");
    }
    return !isSpent;
  }

  /** Goes one level down; false, and one fault, if that is too deep. */
  boolean enter(int line) {
    if (++depth > MAX_DEPTH) {
      spent(line, "too deep");
    }
    return !isSpent;
  }

  void leave() {
    depth--;
  }

  private void spent(int line, String problem) {
    if (!isSpent) {
      isSpent = true;
      String most = "at most " + MAX_VALUES + " values, " + MAX_DEPTH + " levels deep";
      faults.add(line, "", problem + " (expected: " + most + ")");
    }
  }
}
