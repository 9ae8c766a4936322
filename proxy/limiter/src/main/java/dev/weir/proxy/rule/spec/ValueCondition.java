package dev.weir.proxy.rule.spec;

import dev.weir.proxy.request.Ascii;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/**
 * A test of one value of a header or query parameter: all of it, how it begins or ends, or whether
 * there is one. Bytes are compared, and case counts.
 *
 * @param text of the kinds that compare; else empty.
 */
public record ValueCondition(Kind kind, String text) {
  /** The longest text. */
  private static final int MAX_LENGTH = 1024;

  /** The kinds of tests. */
  public enum Kind {
    EXACT,
    PREFIX,
    SUFFIX,
    PRESENT,
    ABSENT
  }

  public static final ValueCondition PRESENT = new ValueCondition(Kind.PRESENT, "");
  public static final ValueCondition ABSENT = new ValueCondition(Kind.ABSENT, "");

  /**
   * A test that compares.
   *
   * @throws BadValueException if no value passes it, or every one.
   */
  public static ValueCondition of(Kind kind, String text) {
    if (text.length() > MAX_LENGTH || text.chars().anyMatch(c -> c < ' ' || c == 0x7F)) {
      throw new BadValueException(text, "at most 1,024 characters, no controls");
    }
    if (kind != Kind.EXACT && text.isEmpty()) {
      throw new BadValueException(text, "a text, or present: true");
    }
    return new ValueCondition(kind, text);
  }

  /** The bytes of the text. */
  public byte[] bytes() {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Whether a value passes.
   *
   * @param wanted {@link #bytes()}.
   */
  boolean passes(byte[] wanted, DirectBuffer bytes, int offset, int length) {
    int behind = length - wanted.length;
    return switch (kind) {
      case EXACT -> Ascii.equals(bytes, offset, length, wanted);
      case PREFIX -> behind >= 0 && Ascii.equals(bytes, offset, wanted.length, wanted);
      case SUFFIX -> behind >= 0 && Ascii.equals(bytes, offset + behind, wanted.length, wanted);
      case PRESENT -> true;
      case ABSENT -> false;
    };
  }

  @Override
  public String toString() {
    return switch (kind) {
      case EXACT -> text;
      case PREFIX -> "{prefix: " + text + "}";
      case SUFFIX -> "{suffix: " + text + "}";
      case PRESENT -> "{present: true}";
      case ABSENT -> "{present: false}";
    };
  }
}
