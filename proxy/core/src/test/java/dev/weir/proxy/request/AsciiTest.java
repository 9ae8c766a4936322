package dev.weir.proxy.request;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class AsciiTest {
  private static final String TEXT = "/weir.v1.RateLimiter/Check";

  @Test
  void textsAreEqualIfEveryByteIs() {
    for (int length = 0; length <= TEXT.length(); length++) {
      byte[] text = TEXT.substring(0, length).getBytes(StandardCharsets.US_ASCII);
      UnsafeBuffer bytes = new UnsafeBuffer(new byte[3 + length]);
      bytes.putBytes(3, text);
      assertTrue(Ascii.equals(bytes, 3, length, text));
      assertEquals(length == 0, Ascii.equals(bytes, 3, 0, text));
      for (int i = 0; i < length; i++) {
        bytes.putByte(3 + i, (byte) (text[i] ^ 1));
        assertFalse(Ascii.equals(bytes, 3, length, text), length + " bytes, at " + i);
        bytes.putByte(3 + i, text[i]);
      }
    }
  }
}
