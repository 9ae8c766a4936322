package dev.weir.proxy.rule.spec;

/**
 * A value somebody wrote that is not one we can use: what was written, and what was expected
 * instead. Whoever asked for the value knows where it stands.
 */
public final class BadValueException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final String value;
  private final String expected;

  /**
   * @param expected completes the sentence "expected: ...".
   */
  public BadValueException(String value, String expected) {
    super(value + " (expected: " + expected + ")");
    this.value = value;
    this.expected = expected;
  }

  public String value() {
    return value;
  }

  public String expected() {
    return expected;
  }
}
