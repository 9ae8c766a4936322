package dev.weir.proxy.downstream.answer;

import dev.weir.proxy.request.TextWriter;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;

/**
 * The value of the Date field (RFC 9110, section 6.6.1), written once per second. One per event
 * loop.
 */
public final class CurrentDate {
  /** The length of a date in bytes. */
  public static final int BYTES = 29;

  private static final byte[] DAYS = TextWriter.ascii("MonTueWedThuFriSatSun");
  private static final byte[] MONTHS = TextWriter.ascii("JanFebMarAprMayJunJulAugSepOctNovDec");
  private static final int NAME_BYTES = 3;

  private byte[] text = {};
  private long textSecond = -1;

  /** The present date, in ASCII. Not to be changed. */
  public byte[] text() {
    long second = TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis());
    if (second != textSecond) {
      textSecond = second;
      text = text(second);
    }
    return text;
  }

  /**
   * A date as IMF-fixdate. Written without a formatter, which would load all calendars for a
   * sidecar's first response.
   *
   * @param epochSecond seconds since 1970, until the end of the year 9999.
   */
  static byte[] text(long epochSecond) {
    LocalDateTime time = LocalDateTime.ofEpochSecond(epochSecond, 0, ZoneOffset.UTC);
    byte[] text = TextWriter.ascii("Ddd, 00 Mmm 0000 00:00:00 GMT");
    System.arraycopy(DAYS, time.getDayOfWeek().ordinal() * NAME_BYTES, text, 0, NAME_BYTES);
    System.arraycopy(MONTHS, (time.getMonthValue() - 1) * NAME_BYTES, text, 8, NAME_BYTES);
    digits(text, 5, time.getDayOfMonth());
    digits(text, 12, time.getYear() / 100);
    digits(text, 14, time.getYear() % 100);
    digits(text, 17, time.getHour());
    digits(text, 20, time.getMinute());
    digits(text, 23, time.getSecond());
    return text;
  }

  private static void digits(byte[] text, int at, int number) {
    text[at] += (byte) (number / 10);
    text[at + 1] += (byte) (number % 10);
  }
}
