package dev.weir.proxy.http2.hpack;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/** The syntax of a field, whatever message it is in (RFC 9113, section 8.2). */
final class FieldSyntax {
  private static final byte[] TRAILERS = "trailers".getBytes(StandardCharsets.US_ASCII);
  private static final boolean[] LOWER_CASE_TOKEN = new boolean[256];
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH_BITS = ONES << 7;

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
            && (isSpace(bytes.getByte(offset)) || isSpace(bytes.getByte(offset + length - 1)))
        || hasControl(bytes, offset, offset + length)
        || kind == FieldKind.TE && !spells(bytes, offset, length, TRAILERS);
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || b == '\t';
  }

  /** Whether there is a control character but a tab; bytes of 0x80 and above are none. */
  private static boolean hasControl(DirectBuffer bytes, int from, int limit) {
    int i = from;
    for (; i + Long.BYTES <= limit; i += Long.BYTES) {
      final long word = bytes.getLong(i, LITTLE_ENDIAN);
      final long below = word - ONES * 0x20 & ~word;
      final long del = word ^ ONES * 0x7f;
      if (((below | del - ONES & ~del) & HIGH_BITS) != 0 && hasControlAmong(bytes, i)) {
        return true;
      }
    }
    for (; i < limit; i++) {
      if (isControl(bytes.getByte(i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasControlAmong(DirectBuffer bytes, int wordOffset) {
    for (int i = wordOffset; i < wordOffset + Long.BYTES; i++) {
      if (isControl(bytes.getByte(i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isControl(byte b) {
    return b >= 0 && b < ' ' && b != '\t' || b == 0x7f;
  }

  /** Whether the {@code length} bytes at {@code offset} are those of {@code text}. */
  static boolean spells(DirectBuffer bytes, int offset, int length, byte[] text) {
    return length == text.length && begins(bytes, offset, text);
  }

  /** Whether the bytes at {@code offset}, of which there are enough, begin with a prefix. */
  static boolean begins(DirectBuffer bytes, int offset, byte[] prefix) {
    for (int i = 0; i < prefix.length; i++) {
      if (bytes.getByte(offset + i) != prefix[i]) {
        return false;
      }
    }
    return true;
  }
}
