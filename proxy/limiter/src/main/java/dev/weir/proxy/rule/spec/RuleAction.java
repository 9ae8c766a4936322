package dev.weir.proxy.rule.spec;

/** What a rule does with a request that it matches. */
public enum RuleAction {
  /** Charges the limit, and refuses requests over it. */
  LIMIT("limit"),
  /** Passes; nothing is counted. */
  UNLIMITED("unlimited"),
  /** Refuses every request. */
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
