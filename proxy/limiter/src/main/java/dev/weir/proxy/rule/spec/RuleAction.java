package dev.weir.proxy.rule.spec;

/** The action of a rule on a request that it matches. */
public enum RuleAction {
  /** Charges the limit, and refuses what it does not cover. */
  LIMIT("limit"),
  /** Passes; nothing is counted. */
  UNLIMITED("unlimited"),
  /** Refuses, whoever asks. */
  DENY("deny");

  private final String text;

  RuleAction(String text) {
    this.text = text;
  }

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return text;
  }
}
