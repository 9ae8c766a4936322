package dev.weir.proxy.rule.spec;

/** What stands in for a part of the key that a request lacks. */
public enum OnMissingKey {
  /** The client's address: the default. */
  IP("ip"),
  /** Nothing: all requests without it share one budget. */
  SHARED("shared"),
  /**
   * Nothing can: the request is refused with 401 before any limit. An empty value counts as
   * missing.
   */
  REFUSE("refuse");

  private final String text;

  OnMissingKey(String text) {
    this.text = text;
  }

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return text;
  }
}
