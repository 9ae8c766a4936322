package dev.weir.proxy.request;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/** Bytes off the wire, read as ASCII text. */
public final class Ascii {
  /** Eight bytes at once, in the order of the machine, as Agrona reads them. */
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  /** The result of {@link #decimal} for other text. */
  public static final long NO_NUMBER = -1;

  /** The most digits: enough for 2^59, and no sum of lengths overflows. */
  private static final int MAX_DIGITS = 18;

  private static final boolean[] TOKEN = new boolean[256];
  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long HIGH_BITS = ONES << 7;

  static {
    for (int c = '0'; c <= 'z'; c++) {
      TOKEN[c] = Character.isLetterOrDigit(c);
    }
    for (byte c : "!#$%&'*+-.^_`|~".getBytes(StandardCharsets.US_ASCII)) {
      TOKEN[c] = true;
    }
  }

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

  /** Whether {@code b} may stand in a token (RFC 9110, section 5.6.2), such as a field's name. */
  public static boolean isToken(byte b) {
    return TOKEN[b & 0xFF];
  }

  /** Whether these bytes are a token, as methods are: at least one character, and no other. */
  public static boolean isToken(DirectBuffer bytes, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (!isToken(bytes.getByte(i))) {
        return false;
      }
    }
    return length > 0;
  }

  public static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  /**
   * The number in a field that is digits and nothing else: no sign, no space, no list; or {@link
   * #NO_NUMBER}.
   */
  public static long decimal(DirectBuffer bytes, int offset, int length) {
    if (length == 0 || length > MAX_DIGITS) {
      return NO_NUMBER;
    }
    long value = 0;
    for (int i = offset; i < offset + length; i++) {
      if (!isDigit(bytes.getByte(i))) {
        return NO_NUMBER;
      }
      value = value * 10 + bytes.getByte(i) - '0';
    }
    return value;
  }

  /** The value of a hexadecimal digit, or -1. */
  public static int hexDigit(byte b) {
    if (isDigit(b)) {
      return b - '0';
    }
    int lower = b | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  }

  /**
   * The first control character (below 0x20, or DEL) other than a tab in [{@code from}, {@code
   * limit}); {@code limit} if there is none. Bytes of 0x80 and above (obs-text) are no controls.
   */
  public static int findControl(DirectBuffer bytes, int from, int limit) {
    int i = from;
    while (i + 8 <= limit) {
      long word = bytes.getLong(i, ByteOrder.LITTLE_ENDIAN);
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
}
