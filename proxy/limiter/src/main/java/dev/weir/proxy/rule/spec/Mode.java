package dev.weir.proxy.rule.spec;

import java.util.Locale;

/** Who decides on a budget. */
public enum Mode {
  /** This node alone: exact here, and each sidecar has budgets of its own. */
  LOCAL(false),

  /** The store: one budget for the whole fleet, never exceeded whoever asks. */
  EXACT(true),

  /** The store, too, but what it has given to keep for a short while is used without asking. */
  LEASED(true);

  private static final String AUTO = "auto";

  private final boolean needsStore;

  Mode(boolean needsStore) {
    this.needsStore = needsStore;
  }

  /** Whether it is no use without a store. */
  public boolean needsStore() {
    return needsStore;
  }

  /**
   * Reads a mode.
   *
   * @param text its name, or {@code auto}, which is another one of leased.
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
