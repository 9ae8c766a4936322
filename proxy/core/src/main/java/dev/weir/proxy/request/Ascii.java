package dev.weir.proxy.request;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;

/** Bytes off the wire, read as ASCII text. */
public final class Ascii {
  /** Eight bytes at once, in the order of the machine, as Agrona reads them. */
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

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

  /** Whether the {@code length} bytes at {@code offset} are those of {@code text}. */
  public static boolean equals(DirectBuffer bytes, int offset, int length, byte[] text) {
    if (length != text.length) {
      return false;
    }
    int at = 0;
    for (; length - at >= Long.BYTES; at += Long.BYTES) {
      if (bytes.getLong(offset + at) != (long) LONGS.get(text, at)) {
        return false;
      }
    }
    for (; at < length; at++) {
      if (bytes.getByte(offset + at) != text[at]) {
        return false;
      }
    }
    return true;
  }

  /**
   * The first offset in [{@code from}, {@code to}) that holds no space or tab; {@code to} if none.
   */
  public static int skipBlanks(DirectBuffer bytes, int from, int to) {
    int at = from;
    while (at < to && isBlank(bytes.getByte(at))) {
      at++;
    }
    return at;
  }

  /** The end of [{@code from}, {@code to}) without the spaces and tabs at its end. */
  public static int trimBlanks(DirectBuffer bytes, int from, int to) {
    int at = to;
    while (at > from && isBlank(bytes.getByte(at - 1))) {
      at--;
    }
    return at;
  }

  /** Whether {@code b} is the optional white space of RFC 9110: space or tab. */
  public static boolean isBlank(byte b) {
    return b == ' ' || b == '\t';
  }
}
