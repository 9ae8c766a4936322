package dev.weir.proxy.request;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.agrona.DirectBuffer;

/**
 * A field name (RFC 9110, section 5.1) prepared for comparison with bytes off the wire: names are
 * equal whatever their case.
 */
public final class FieldName {
  private final String name;
  private final byte[] lowerCase;

  private FieldName(String name) {
    this.name = name;
    this.lowerCase = name.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * @param name a token of RFC 9110, section 5.6.2, in any case.
   * @throws IllegalArgumentException if {@code name} is not a token.
   */
  public static FieldName of(String name) {
    if (!isToken(name)) {
      throw new IllegalArgumentException(
          "field name: \""
              + name
              + "\" (expected: one or more of the token characters of RFC 9110)");
    }
    return new FieldName(name.toLowerCase(Locale.ROOT));
  }

  /** Whether {@code text} is a token of RFC 9110, section 5.6.2. */
  public static boolean isToken(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c > 0x7F || !Ascii.isToken((byte) c)) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  public int length() {
    return lowerCase.length;
  }

  /** Whether the {@code length} bytes at {@code offset} spell this name, in any case. */
  public boolean matches(DirectBuffer bytes, int offset, int length) {
    return Ascii.equalsIgnoreCase(bytes, offset, length, lowerCase);
  }

  /** The name in lower case. */
  @Override
  public String toString() {
    return name;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FieldName that && name.equals(that.name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }
}
