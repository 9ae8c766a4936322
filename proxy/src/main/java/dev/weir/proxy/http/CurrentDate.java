package dev.weir.proxy.http;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The value of the Date field (RFC 9110, section 6.6.1), formatted once per second. One per event
 * loop.
 */
public final class CurrentDate {
  /** How long it is. */
  public static final int BYTES = 29;

  /** Two digits for the day, which RFC_1123_DATE_TIME does not promise. */
  private static final DateTimeFormatter IMF_FIXDATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);

  private byte[] text = {};
  private long textSecond = -1;

  /** The present date, in ASCII. Not to be changed. */
  public byte[] text() {
    long second = TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis());
    if (second != textSecond) {
      textSecond = second;
      text =
          TextWriter.ascii(
              IMF_FIXDATE.format(Instant.ofEpochSecond(second).atOffset(ZoneOffset.UTC)));
    }
    return text;
  }
}
