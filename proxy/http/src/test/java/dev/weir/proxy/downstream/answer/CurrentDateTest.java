package dev.weir.proxy.downstream.answer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CurrentDateTest {
  private static final DateTimeFormatter IMF_FIXDATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);

  @Test
  void looksAsInRfc9110() {
    assertEquals("Sun, 06 Nov 1994 08:49:37 GMT", text(784_111_777));
    assertEquals("Thu, 01 Jan 1970 00:00:00 GMT", text(0));
    assertEquals("Thu, 29 Feb 2024 23:59:59 GMT", text(1_709_251_199));
  }

  @Test
  void isWhatTheLibraryFormatsOfAnyYear() {
    long end = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 20_000; i++) {
      long second = i == 0 ? end : random.nextLong(end);
      String expected = IMF_FIXDATE.format(Instant.ofEpochSecond(second).atOffset(ZoneOffset.UTC));
      assertEquals(expected, text(second));
    }
  }

  @Test
  void isAsLongAsItSays() {
    assertEquals(CurrentDate.BYTES, new CurrentDate().text().length);
  }

  private static String text(long epochSecond) {
    return new String(CurrentDate.text(epochSecond), StandardCharsets.US_ASCII);
  }
}
