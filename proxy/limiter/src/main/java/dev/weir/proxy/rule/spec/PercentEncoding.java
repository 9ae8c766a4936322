package dev.weir.proxy.rule.spec;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Percent-encoding (RFC 3986) for names in the store: letters, digits and {@code -._~@} stand for
 * themselves, all other bytes are encoded.
 */
public final class PercentEncoding {
  /** The result if the text does not fit. */
  public static final int TOO_LONG = -1;

  private static final byte[] HEX = {
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'
  };

  private PercentEncoding() {}

  /**
   * Writes bytes percent-encoded.
   *
   * @param end of the room in the target.
   * @return where the text ends, or {@link #TOO_LONG}.
   */
  public static int encode(
      DirectBuffer bytes, int from, int length, MutableDirectBuffer target, int at, int end) {
    int out = at;
    for (int i = from; i < from + length; i++) {
      if (out + 3 > end) {
        return TOO_LONG;
      }
      byte b = bytes.getByte(i);
      if (isPlain(b)) {
        target.putByte(out++, b);
      } else {
        target.putByte(out++, (byte) '%');
        target.putByte(out++, digit(b >>> 4));
        target.putByte(out++, digit(b));
      }
    }
    return out;
  }

  /** The digit of the last four bits, in upper case. */
  public static byte digit(int value) {
    return HEX[value & 0xF];
  }

  private static boolean isPlain(byte b) {
    return b >= 'a' && b <= 'z'
        || b >= 'A' && b <= 'Z'
        || b >= '0' && b <= '9'
        || b == '-'
        || b == '.'
        || b == '_'
        || b == '~'
        || b == '@';
  }
}
