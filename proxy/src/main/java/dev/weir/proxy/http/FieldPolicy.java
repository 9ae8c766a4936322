package dev.weir.proxy.http1;

import dev.weir.proxy.request.Ascii;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/** Which fields may stand behind a body (RFC 9110, section 6.5.1). */
final class TrailerField {
  /**
   * Besides every {@link KnownField}: what authenticates, sets state or says how to read a body.
   */
  private static final byte[][] FORBIDDEN = {
    ascii("age"),
    ascii("cookie"),
    ascii("range"),
    ascii("set-cookie"),
    ascii("content-type"),
    ascii("max-forwards"),
    ascii("authorization"),
    ascii("cache-control"),
    ascii("content-range"),
    ascii("content-encoding"),
    ascii("www-authenticate"),
  };

  private TrailerField() {}

  private static byte[] ascii(String name) {
    return name.getBytes(StandardCharsets.US_ASCII);
  }

  static boolean isAllowed(DirectBuffer bytes, int nameOffset, int nameLength) {
    if (KnownField.lookUp(bytes, nameOffset, nameLength) != null) {
      return false;
    }
    for (byte[] forbidden : FORBIDDEN) {
      if (Ascii.equalsIgnoreCase(bytes, nameOffset, nameLength, forbidden)) {
        return false;
      }
    }
    return true;
  }
}
