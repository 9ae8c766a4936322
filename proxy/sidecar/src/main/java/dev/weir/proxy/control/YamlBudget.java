package dev.weir.proxy.control;

/**
 * How much files may amount to once their aliases are followed: a few short lines of anchors can
 * mean billions, and many files that are small enough are too much together. One per file.
 */
public final class YamlBudget {
  public static final int MAX_VALUES = 200_000;
  public static final int MAX_DEPTH = 32;

  private final Faults faults;
  private final int valuesBefore;
  private int values;
  private int depth;
  private boolean isSpent;

  /**
   * @param valuesBefore how many values the files before it have.
   */
  public YamlBudget(Faults faults, int valuesBefore) {
    this.faults = faults;
    this.valuesBefore = valuesBefore;
  }

  /** Counts one more value; false, and one fault, if there were too many. */
  public boolean take(int line) {
    if (++values > MAX_VALUES) {
      spent(line, "too large once its aliases are followed");
    } else if (valuesBefore + values > MAX_VALUES) {
      spent(line, "too large together with the files before it");
    }
    return !isSpent;
  }

  /** How many values this file and those before it have; with a fault, if there are too many. */
  public int valuesSoFar() {
    return valuesBefore + values;
  }

  /** Goes one level down; false, and one fault, if that is too deep. */
  public boolean enter(int line) {
    if (++depth > MAX_DEPTH) {
      spent(line, "too deep");
    }
    return !isSpent;
  }

  public void leave() {
    depth--;
  }

  /** Whether there were too many values, or they were too deep, with a fault that says so. */
  boolean isSpent() {
    return isSpent;
  }

  private void spent(int line, String problem) {
    if (!isSpent) {
      isSpent = true;
      String most = "at most " + MAX_VALUES + " values, " + MAX_DEPTH + " levels deep";
      faults.add(line, "", problem + " (expected: " + most + ")");
    }
  }
}
