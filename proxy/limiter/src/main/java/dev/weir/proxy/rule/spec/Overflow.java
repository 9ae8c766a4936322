package dev.weir.proxy.rule.spec;

/** The answer of a leaky bucket to requests that come faster than it leaks. */
public enum Overflow {
  /** Passes them at once while there is room, and refuses what would spill over. */
  REJECT("reject"),
  /** Passes them one by one at the rate, each held until its turn. */
  QUEUE("queue");

  private final String text;

  Overflow(String text) {
    this.text = text;
  }

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return text;
  }
}
