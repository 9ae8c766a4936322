package dev.weir.proxy.request;

import io.netty.buffer.ByteBuf;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/** Writes text into a buffer, without a String in between. */
public final class TextWriter {
  private static final byte[] HEX_DIGITS = ascii("0123456789abcdef");
  private static final int DIGITS_OF_LONG = Long.SIZE / 4;
  private static final long[] POWERS_OF_TEN = new long[19];

  static {
    long power = 1;
    for (int i = 0; i < POWERS_OF_TEN.length; i++) {
      POWERS_OF_TEN[i] = power;
      power *= 10;
    }
  }

  private TextWriter() {}

  public static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Appends bytes as they are. */
  public static void copy(DirectBuffer bytes, int offset, int length, ByteBuf out) {
    out.ensureWritable(length);
    int at = offset;
    for (int end = offset + length - Long.BYTES; at <= end; at += Long.BYTES) {
      out.writeLong(bytes.getLong(at, ByteOrder.BIG_ENDIAN));
    }
    for (; at < offset + length; at++) {
      out.writeByte(bytes.getByte(at));
    }
  }

  /**
   * Appends {@code value} in decimal.
   *
   * @param value 0 or more.
   */
  public static void writeDecimal(ByteBuf out, long value) {
    int digits = digits(value);
    int end = out.writerIndex() + digits;
    out.ensureWritable(digits).writerIndex(end);
    setDecimal(out, end, value);
  }

  /**
   * Writes {@code value} in decimal over what stands before an index.
   *
   * @param end behind the last digit.
   * @param value 0 or more.
   */
  public static void setDecimal(ByteBuf out, int end, long value) {
    long rest = value;
    int at = end;
    do {
      out.setByte(--at, '0' + (int) (rest % 10));
      rest /= 10;
    } while (rest > 0);
  }

  /** How many bytes {@link #writeDecimal} appends for a value of 0 or more. */
  public static int digits(long value) {
    int digits = 1;
    while (digits < POWERS_OF_TEN.length && value >= POWERS_OF_TEN[digits]) {
      digits++;
    }
    return digits;
  }

  /** Appends {@code value} in hexadecimal, without leading zeros. */
  public static void writeHex(ByteBuf out, long value) {
    int digits = Math.max(1, (67 - Long.numberOfLeadingZeros(value)) / 4);
    writeHexDigits(out, value, digits);
  }

  /** Appends all sixteen hexadecimal digits of {@code value}. */
  public static void writeHexDigits(ByteBuf out, long value) {
    out.ensureWritable(DIGITS_OF_LONG);
    out.writeLong(hexDigits((int) (value >>> Integer.SIZE)));
    out.writeLong(hexDigits((int) value));
  }

  /** Eight digits, a byte each: half a byte is moved into each, and then made a character. */
  private static long hexDigits(int value) {
    long digits = value & 0xffff_ffffL;
    digits = (digits << 16 | digits) & 0x0000_ffff_0000_ffffL;
    digits = (digits << 8 | digits) & 0x00ff_00ff_00ff_00ffL;
    digits = (digits << 4 | digits) & 0x0f0f_0f0f_0f0f_0f0fL;
    long areLetters = digits + 0x0606_0606_0606_0606L >>> 4 & 0x0101_0101_0101_0101L;
    return digits + 0x3030_3030_3030_3030L + areLetters * ('a' - '0' - 10);
  }

  /** Appends the {@code digits} lowest hexadecimal digits of {@code value}. */
  private static void writeHexDigits(ByteBuf out, long value, int digits) {
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
      out.writeByte(HEX_DIGITS[(int) (value >>> shift) & 0xF]);
    }
  }
}
