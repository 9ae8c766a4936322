package dev.weir.proxy.rule.spec;

/** What a leaky bucket does with requests that come faster than it leaks. */
public enum Overflow {
  /** Passes them at once while there is room, and refuses the others. */
  REJECT("reject"),
  /** Passes them at the rate, each held until its slot. */
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
