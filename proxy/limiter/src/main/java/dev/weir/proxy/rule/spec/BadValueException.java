package dev.weir.proxy.rule.spec;

/**
 * A value in the settings that cannot be used: the value, and what was expected. The caller knows
 * its place.
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
