package dev.weir.proxy.exchange;

import org.agrona.DirectBuffer;

/** Numbers in fields that are digits and nothing else: no sign, no space, no list. */
public final class Decimal {
  /** The result of {@link #read} for other text. */
  public static final long MALFORMED = -1;

  /** The most digits: enough for 2^59, and no sum of lengths overflows. */
  private static final int MAX_DIGITS = 18;

  private Decimal() {}

  /** The number, or {@link #MALFORMED}. */
  public static long read(DirectBuffer bytes, int offset, int length) {
    if (length == 0 || length > MAX_DIGITS) {
      return MALFORMED;
    }
    long value = 0;
    for (int i = offset; i < offset + length; i++) {
      int digit = bytes.getByte(i) - '0';
      if (digit < 0 || digit > 9) {
        return MALFORMED;
      }
      value = value * 10 + digit;
    }
    return value;
  }
}
