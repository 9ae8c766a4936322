package dev.weir.proxy.request;

import org.agrona.DirectBuffer;

/** Comparison of bytes off the wire with ASCII text. */
public final class Ascii {
  private Ascii() {}

  /** Whether the {@code length} bytes at {@code offset} spell {@code lowerCase}, in any case. */
  public static boolean equalsIgnoreCase(
      DirectBuffer bytes, int offset, int length, byte[] lowerCase) {
    if (length != lowerCase.length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      byte b = bytes.getByte(offset + i);
      if (b >= 'A' && b <= 'Z') {
        b |= 0x20;
      }
      if (b != lowerCase[i]) {
        return false;
      }
    }
    return true;
  }
}
