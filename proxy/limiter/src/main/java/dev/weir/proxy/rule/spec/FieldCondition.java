package dev.weir.proxy.rule.spec;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a rule's match asks of one header or query parameter: that one of its values passes one of
 * the tests. A request may have several values of one name, and any of them counts. Immutable.
 */
public final class FieldCondition implements ValueSink {
  /** The most tests of a condition. */
  public static final int MAX_TESTS = 64;

  private final KeyPart part;
  private final List<ValueCondition> tests;
  private final ValueCondition[] tried;
  private final byte[][] wanted;
  private final boolean mayBeAbsent;

  /**
   * @param part a header or a query parameter.
   * @param tests one or more.
   */
  public FieldCondition(KeyPart part, List<ValueCondition> tests) {
    this.part = part;
    this.tests = List.copyOf(tests);
    tried = tests.toArray(ValueCondition[]::new);
    wanted = tests.stream().map(ValueCondition::bytes).toArray(byte[][]::new);
    mayBeAbsent = tests.contains(ValueCondition.ABSENT);
  }

  /** The header or query parameter. */
  public KeyPart part() {
    return part;
  }

  public List<ValueCondition> tests() {
    return tests;
  }

  /** Whether only whole values pass, so that they can be found by hash. */
  public boolean isExact() {
    return tests.stream().allMatch(test -> test.kind() == ValueCondition.Kind.EXACT);
  }

  /** Whether a request passes that has no value. */
  public boolean mayBeAbsent() {
    return mayBeAbsent;
  }

  /** Whether a request passes with one value, or with none if that is null. */
  public boolean passes(String value) {
    if (value == null) {
      return mayBeAbsent;
    }
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    return value(new UnsafeBuffer(bytes), 0, bytes.length);
  }

  @Override
  public boolean value(DirectBuffer bytes, int offset, int length) {
    for (int i = 0; i < tried.length; i++) {
      if (tried[i].passes(wanted[i], bytes, offset, length)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FieldCondition that
        && part.equals(that.part)
        && tests.equals(that.tests);
  }

  @Override
  public int hashCode() {
    return 31 * part.hashCode() + tests.hashCode();
  }

  @Override
  public String toString() {
    return part + "=" + tests;
  }
}
