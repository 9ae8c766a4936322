package dev.weir.proxy.http1;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;

/** The character classes of RFC 9110 and RFC 3986, as table look-ups and word-wise searches. */
final class Grammar {
  private static final byte TOKEN = 1;
  private static final byte DIGIT = 2;
  private static final byte TARGET = 4;
  private static final byte[] CLASSES = new byte[256];

  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH_BITS = ONES << 7;

  static {
    for (int c = '0'; c <= '9'; c++) {
      CLASSES[c] |= TOKEN | DIGIT;
    }
    for (int c = 'a'; c <= 'z'; c++) {
      CLASSES[c] |= TOKEN;
      CLASSES[c - 'a' + 'A'] |= TOKEN;
    }
    mark("!#$%&'*+-.^_`|~", TOKEN);
    for (int c = '!'; c <= '~'; c++) {
      CLASSES[c] |= TARGET;
    }
    CLASSES['#'] &= ~TARGET;
  }

  private Grammar() {}

  private static void mark(String characters, byte characterClass) {
    for (int i = 0; i < characters.length(); i++) {
      CLASSES[characters.charAt(i)] |= characterClass;
    }
  }

  static boolean isToken(byte b) {
    return (CLASSES[b & 0xFF] & TOKEN) != 0;
  }

  static boolean isDigit(byte b) {
    return (CLASSES[b & 0xFF] & DIGIT) != 0;
  }

  /** Visible ASCII but the number sign: what may stand in a request target. */
  static boolean isTarget(byte b) {
    return (CLASSES[b & 0xFF] & TARGET) != 0;
  }

  /** The value of a hexadecimal digit, or -1. */
  static int hexDigit(byte b) {
    if (b >= '0' && b <= '9') {
      return b - '0';
    }
    int lower = b | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  }

  /**
   * The first control character (below 0x20, or DEL) other than a tab in [{@code from}, {@code
   * limit}); {@code limit} if there is none. Bytes of 0x80 and above (obs-text) are no controls.
   */
  static int findControl(DirectBuffer bytes, int from, int limit) {
    int i = from;
    while (i + 8 <= limit) {
      long word = bytes.getLong(i, LITTLE_ENDIAN);
      long below = (word - ONES * 0x20) & ~word;
      long del = word ^ ONES * 0x7F;
      long hit = (below | (del - ONES) & ~del) & HIGH_BITS;
      if (hit == 0) {
        i += 8;
        continue;
      }
      i += Long.numberOfTrailingZeros(hit) >>> 3;
      if (bytes.getByte(i) != '\t') {
        return i;
      }
      i++;
    }
    for (; i < limit; i++) {
      byte b = bytes.getByte(i);
      if (b >= 0 && b < 0x20 && b != '\t' || b == 0x7F) {
        return i;
      }
    }
    return limit;
  }

  /** The first byte in [{@code from}, {@code limit}) that may not stand in a target, or limit. */
  static int endOfTarget(DirectBuffer bytes, int from, int limit) {
    int i = from;
    while (i < limit && isTarget(bytes.getByte(i))) {
      i++;
    }
    return i;
  }

  /**
   * Reads the CRLF at {@code at}, which is below {@code limit}.
   *
   * @return the offset behind it, {@link FieldLine#INCOMPLETE} or {@link FieldLine#MALFORMED}.
   */
  static int endOfLine(DirectBuffer bytes, int at, int limit) {
    if (bytes.getByte(at) != '\r') {
      return FieldLine.MALFORMED;
    }
    if (at + 1 == limit) {
      return FieldLine.INCOMPLETE;
    }
    return bytes.getByte(at + 1) == '\n' ? at + 2 : FieldLine.MALFORMED;
  }
}
