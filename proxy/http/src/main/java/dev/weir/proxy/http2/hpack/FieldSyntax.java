package dev.weir.proxy.http2.hpack;

import dev.weir.proxy.request.Ascii;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/** The syntax of a field, whatever message it is in (RFC 9113, section 8.2). */
final class FieldSyntax {
  private static final byte[] TRAILERS = "trailers".getBytes(StandardCharsets.US_ASCII);
  private static final boolean[] LOWER_CASE_TOKEN = new boolean[256];

  static {
    final String token = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz";
    for (int i = 0; i < token.length(); i++) {
      LOWER_CASE_TOKEN[token.charAt(i)] = true;
    }
  }

  private FieldSyntax() {}

  /** Whether no message may have a field of that name: it is no lower-case token, or HTTP/1.1's. */
  static boolean isMalformedName(int kind, DirectBuffer bytes, int offset, int length) {
    if (kind != FieldKind.UNKNOWN && kind != FieldKind.X_ENVOY) {
      return FieldKind.isConnectionSpecific(kind);
    }
    for (int i = offset; i < offset + length; i++) {
      if (!LOWER_CASE_TOKEN[bytes.getByte(i) & 0xff]) {
        return true;
      }
    }
    return length == 0;
  }

  /** Whether no field of that kind may have the value. */
  static boolean isMalformedValue(int kind, DirectBuffer bytes, int offset, int length) {
    return length > 0
            && (Ascii.isBlank(bytes.getByte(offset))
                || Ascii.isBlank(bytes.getByte(offset + length - 1)))
        || Ascii.findControl(bytes, offset, offset + length) < offset + length
        || kind == FieldKind.TE && !Ascii.equals(bytes, offset, length, TRAILERS);
  }
}
