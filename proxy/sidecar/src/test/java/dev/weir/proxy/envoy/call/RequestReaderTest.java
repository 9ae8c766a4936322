package dev.weir.proxy.envoy.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Which calls of Envoy's rate-limit service can be decided. */
class RequestReaderTest {
  private static byte[] field(int number, byte[] content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(number << 3 | 2);
    int length = content.length;
    for (; length > 0x7f; length >>>= 7) {
      out.write(length & 0x7f | 0x80);
    }
    out.write(length);
    out.writeBytes(content);
    return out.toByteArray();
  }

  private static byte[] field(int number, String text) {
    return field(number, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Reads a call with so many descriptors of one entry. */
  private static CallFault read(int descriptors, String key, String value) {
    ByteArrayOutputStream entry = new ByteArrayOutputStream();
    entry.writeBytes(field(1, key));
    entry.writeBytes(field(2, value));
    ByteArrayOutputStream call = new ByteArrayOutputStream();
    call.writeBytes(field(1, "d"));
    for (int i = 0; i < descriptors; i++) {
      call.writeBytes(field(2, field(1, entry.toByteArray())));
    }
    return new RequestReader().read(new UnsafeBuffer(call.toByteArray()), new RateLimitCall());
  }

  private static String text(int length) {
    return "x".repeat(length);
  }

  @Test
  void takesNoKeyOrValueThatIsLongerThanOneMayBe() {
    assertNull(read(1, "k", text(RateLimitCall.MAX_TEXT_BYTES)));
    assertNull(read(1, text(RateLimitCall.MAX_TEXT_BYTES), "v"));
    assertEquals(CallFault.TOO_LONG, read(1, "k", text(RateLimitCall.MAX_TEXT_BYTES + 1)));
    assertEquals(CallFault.TOO_LONG, read(1, text(RateLimitCall.MAX_TEXT_BYTES + 1), "v"));
  }

  @Test
  void takesNoMoreTextThanOneCallMayHave() {
    int most = RateLimitCall.MAX_CALL_TEXT_BYTES / RateLimitCall.MAX_TEXT_BYTES;
    assertNull(read(most, "k", text(RateLimitCall.MAX_TEXT_BYTES - 1)));
    assertEquals(CallFault.TOO_LONG, read(most + 1, "k", text(RateLimitCall.MAX_TEXT_BYTES - 1)));
  }
}
