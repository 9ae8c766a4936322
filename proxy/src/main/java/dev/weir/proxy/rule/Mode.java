package dev.weir.proxy.rule;

import java.util.Locale;

/** Who decides on a budget. */
public enum Mode {
  /** This node alone: exact here, and each sidecar has budgets of its own. */
  LOCAL(false),

  /** The store: one budget for the whole fleet, never exceeded whoever asks. */
  EXACT(true);

  private final boolean needsStore;

  Mode(boolean needsStore) {
    this.needsStore = needsStore;
  }

  /** Whether it is no use without a store. */
  public boolean needsStore() {
    return needsStore;
  }

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
