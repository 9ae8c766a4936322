package dev.weir.proxy.rule;

import java.util.Locale;

/** Who decides on a rule's budgets. */
public enum Mode {
  /** This node alone: exact here, and each sidecar has budgets of its own. */
  LOCAL,

  /** The store: one budget for the whole fleet, never exceeded whoever asks. */
  EXACT;

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
