package dev.weir.proxy.explain;

/**
 * A request that cannot be explained as it is described. The message names the part and what was
 * expected; it has nothing of the request in it, which may hold secrets.
 */
public final class BadDescriptionException extends Exception {
  private static final long serialVersionUID = 1;

  private final String part;
  private final String found;
  private final String expected;

  /** A part that is known no better than by what was found. */
  public BadDescriptionException(String part, String found) {
    this(part, found, null);
  }

  /**
   * @param expected completes "expected: ..."; null if nothing is said.
   */
  public BadDescriptionException(String part, String found, String expected) {
    super(part + ": " + found + (expected == null ? "" : " (expected: " + expected + ")"));
    this.part = part;
    this.found = found;
    this.expected = expected;
  }

  /** The part that is at fault. */
  public String part() {
    return part;
  }

  /** What is wrong with it. */
  public String found() {
    return found;
  }

  /** What was expected; null if nothing is said. */
  public String expected() {
    return expected;
  }
}
