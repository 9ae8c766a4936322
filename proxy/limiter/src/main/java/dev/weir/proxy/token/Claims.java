package dev.weir.proxy.token;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The claims of a verified token as bytes, one after the other: the lengths of name and value, the
 * name, the value. Only what can name somebody is kept: texts, and numbers and truth values as
 * their text. Of any other value, such as a list, only is kept that it is there.
 */
final class Claims {
  /** The result if a token does not have a claim, or it is null. */
  static final int ABSENT = -1;

  /** The length of a value that names nobody: a list, an object, or a number with a fraction. */
  static final int NO_NAME = -2;

  private static final int HEADER_BYTES = 2 * Integer.BYTES;

  private Claims() {}

  /**
   * The bytes of claims as a library has parsed them.
   *
   * @param mostBytes of a value that names somebody: those of the token, which no text in it
   *     exceeds unless it is invalid.
   */
  static byte[] encode(Map<String, Object> claims, int mostBytes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(256);
    claims.forEach(
        (name, value) -> {
          if (value != null) {
            encode(out, name.getBytes(StandardCharsets.UTF_8), bytes(value, mostBytes));
          }
        });
    return out.toByteArray();
  }

  private static void encode(ByteArrayOutputStream out, byte[] name, byte[] value) {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.nativeOrder());
    header.putInt(name.length).putInt(value == null ? NO_NAME : value.length);
    out.writeBytes(header.array());
    out.writeBytes(name);
    if (value != null) {
      out.writeBytes(value);
    }
  }

  /** The bytes of a value that names somebody; null of any other. */
  private static byte[] bytes(Object value, int mostBytes) {
    if (!(value instanceof String || value instanceof Long || value instanceof Boolean)) {
      return null;
    }
    byte[] bytes = value.toString().getBytes(StandardCharsets.UTF_8);
    return bytes.length <= mostBytes ? bytes : null;
  }

  /**
   * Copies the value of a claim.
   *
   * @return its length; or {@link #ABSENT} or {@link #NO_NAME}.
   */
  static int copy(
      DirectBuffer claims, int offset, int length, byte[] name, MutableDirectBuffer to, int toAt) {
    int end = offset + length;
    for (int at = offset; at < end; ) {
      int nameLength = claims.getInt(at);
      int valueLength = claims.getInt(at + Integer.BYTES);
      int valueAt = at + HEADER_BYTES + nameLength;
      if (isName(claims, at + HEADER_BYTES, nameLength, name)) {
        to.putBytes(toAt, claims, valueAt, Math.max(0, valueLength));
        return valueLength;
      }
      at = valueAt + Math.max(0, valueLength);
    }
    return ABSENT;
  }

  private static boolean isName(DirectBuffer bytes, int at, int length, byte[] name) {
    if (length != name.length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (bytes.getByte(at + i) != name[i]) {
        return false;
      }
    }
    return true;
  }
}
