package dev.weir.proxy.exchange;

import org.agrona.DirectBuffer;

/** The grammar of a token (RFC 9110, section 5.6.2), such as a method. */
public final class Token {
  private static final boolean[] CHARACTERS = new boolean[256];

  static {
    for (int c = '0'; c <= 'z'; c++) {
      CHARACTERS[c] = Character.isLetterOrDigit(c);
    }
    "!#$%&'*+-.^_`|~".chars().forEach(c -> CHARACTERS[c] = true);
  }

  private Token() {}

  /** Whether these bytes are a token: at least one of its characters, and no other. */
  public static boolean isValid(DirectBuffer bytes, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (!CHARACTERS[bytes.getByte(i) & 0xFF]) {
        return false;
      }
    }
    return length > 0;
  }
}
