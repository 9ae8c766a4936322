package dev.weir.proxy.grpc;

import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.TextWriter;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;

/**
 * The value of {@code grpc-timeout}: one to eight digits and a unit, hours to nanoseconds. A value
 * of any other form is no deadline for Weir, and is forwarded unchanged.
 */
public final class GrpcTimeout {
  /** The result of {@link #parseNs} for what is no timeout. */
  public static final long NONE = -1;

  /** The longest text. */
  public static final int MAX_BYTES = 9;

  private static final int MAX_DIGITS = 8;
  private static final long MAX_VALUE = 99_999_999;

  /** The letters of units, from the finest on. */
  private static final byte[] UNITS = {'n', 'u', 'm', 'S', 'M', 'H'};

  private static final long[] UNITS_NS = {
    1,
    TimeUnit.MICROSECONDS.toNanos(1),
    TimeUnit.MILLISECONDS.toNanos(1),
    TimeUnit.SECONDS.toNanos(1),
    TimeUnit.MINUTES.toNanos(1),
    TimeUnit.HOURS.toNanos(1)
  };

  private GrpcTimeout() {}

  /** The time in nanoseconds, 0 or more, at most {@link Long#MAX_VALUE}; or {@link #NONE}. */
  public static long parseNs(DirectBuffer bytes, int offset, int length) {
    int digits = length - 1;
    if (digits < 1 || digits > MAX_DIGITS) {
      return NONE;
    }
    long value = Ascii.decimal(bytes, offset, digits);
    int unit = unit(bytes.getByte(offset + digits));
    if (value == Ascii.NO_NUMBER || unit < 0) {
      return NONE;
    }
    boolean fits = value <= Long.MAX_VALUE / UNITS_NS[unit];
    return fits ? value * UNITS_NS[unit] : Long.MAX_VALUE;
  }

  private static int unit(byte letter) {
    int unit = UNITS.length - 1;
    while (unit >= 0 && UNITS[unit] != letter) {
      unit--;
    }
    return unit;
  }

  /**
   * Writes a time in the finest unit that has room for it, rounded down, so that the service never
   * gets more time than there is.
   *
   * @param ns 0 or more.
   * @param out has room for {@link #MAX_BYTES}.
   * @return the number of bytes.
   */
  public static int write(long ns, byte[] out) {
    int unit = 0;
    while (ns / UNITS_NS[unit] > MAX_VALUE && unit < UNITS.length - 1) {
      unit++;
    }
    long value = Math.min(ns / UNITS_NS[unit], MAX_VALUE);
    int digits = TextWriter.digits(value);
    for (int i = digits - 1; i >= 0; i--) {
      out[i] = (byte) ('0' + value % 10);
      value /= 10;
    }
    out[digits] = UNITS[unit];
    return digits + 1;
  }
}
