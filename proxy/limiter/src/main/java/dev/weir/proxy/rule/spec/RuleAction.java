package dev.weir.proxy.rule.spec;

import java.util.Locale;

/** The way in which a rule treats a request that it matches. */
public enum RuleAction {
  /** Charges the limit, and refuses requests over it. */
  LIMIT,
  /** Passes; nothing is counted. */
  UNLIMITED,
  /** Refuses every request. */
  DENY;

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
