package dev.weir.proxy.rule.spec;

import java.util.Locale;

/** The mode of a limit: who decides on its budgets. */
public enum Mode {
  /** This node alone: exact here, and each sidecar has budgets of its own. */
  LOCAL(false),

  /** The store: one budget for the whole fleet, never exceeded. */
  EXACT(true),

  /** The store, and this sidecar for the units that the store has leased to it. */
  LEASED(true);

  private static final String AUTO = "auto";

  private final boolean needsStore;

  Mode(boolean needsStore) {
    this.needsStore = needsStore;
  }

  /** Whether this mode needs a store. */
  public boolean needsStore() {
    return needsStore;
  }

  /**
   * Parses a mode.
   *
   * @param text its name, or {@code auto}, which means leased.
   * @throws BadValueException if it is none.
   */
  public static Mode parse(String text) {
    for (Mode mode : values()) {
      if (mode.toString().equals(text) || mode == LEASED && text.equals(AUTO)) {
        return mode;
      }
    }
    throw new BadValueException(text, "local, exact, leased or auto");
  }

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
