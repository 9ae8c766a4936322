package dev.weir.proxy.envoy.call;

import dev.weir.proxy.control.LimitHeaders;
import dev.weir.proxy.envoy.file.LimitUnit;
import dev.weir.proxy.envoy.file.NodeLimit;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

/**
 * The fields that an answer adds to the client's response, one after the other: those of the
 * descriptor that is closest to exhaustion. Reused; allocates nothing.
 */
final class HeaderFields {
  private static final byte[][] X_RATELIMIT =
      names("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset");
  private static final byte[][] DRAFT06 =
      names("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset");
  private static final byte[][] DRAFT11 = names("RateLimit-Policy", "RateLimit");
  private static final byte[][] NONE = {};
  private static final byte[] NO_NAME = {};

  private final ExpandableArrayBuffer value = new ExpandableArrayBuffer(128);
  private byte[][] names;
  private DescriptorStatus status;
  private int index;
  private int length;

  private static byte[][] names(String... of) {
    byte[][] names = new byte[of.length][];
    for (int i = 0; i < of.length; i++) {
      names[i] = of[i].getBytes(StandardCharsets.US_ASCII);
    }
    return names;
  }

  void begin(RateLimitVerdict of) {
    status = of.headers() == LimitHeaders.OFF ? null : of.closest();
    names = status == null ? NONE : names(of.headers());
    index = -1;
  }

  private static byte[][] names(LimitHeaders headers) {
    return switch (headers) {
      case OFF -> NONE;
      case X_RATELIMIT -> X_RATELIMIT;
      case DRAFT06 -> DRAFT06;
      case DRAFT11 -> DRAFT11;
    };
  }

  /** Moves to the next field; false if there is none. */
  boolean next() {
    if (++index >= names.length) {
      status = null;
      return false;
    }
    length = 0;
    if (names == DRAFT11) {
      item(index == 0);
    } else {
      number(
          switch (index) {
            case 0 -> status.requestsPerUnit();
            case 1 -> status.remaining();
            default -> status.resetSeconds();
          });
    }
    return true;
  }

  private void item(boolean isPolicy) {
    LimitUnit unit = status.unit();
    NodeLimit limit = status.limit();
    text("\"");
    name(limit == null ? NO_NAME : limit.name(), unit);
    text("\"");
    text(isPolicy ? ";q=" : ";r=");
    number(isPolicy ? status.requestsPerUnit() : status.remaining());
    text(isPolicy ? ";w=" : ";t=");
    number(isPolicy ? unit.seconds() : status.resetSeconds());
  }

  /**
   * Writes the limit's name, with the characters that a quoted string may have; its unit if it has
   * no name.
   */
  private void name(byte[] name, LimitUnit unit) {
    if (name.length == 0) {
      text(unit.toString());
      return;
    }
    for (byte b : name) {
      boolean isPlain = b >= ' ' && b <= '~' && b != '"' && b != '\\';
      value.putByte(length++, isPlain ? b : (byte) '?');
    }
  }

  private void text(String text) {
    for (int i = 0; i < text.length(); i++) {
      value.putByte(length++, (byte) text.charAt(i));
    }
  }

  private void number(long number) {
    length += value.putLongAscii(length, number);
  }

  byte[] name() {
    return names[index];
  }

  /** The value, in the first {@link #valueLength()} bytes, until the next field. */
  DirectBuffer value() {
    return value;
  }

  int valueLength() {
    return length;
  }
}
