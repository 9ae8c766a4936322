package dev.weir.proxy.rule.spec;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The host of a request as rules compare it: without port and dot at the end, where it lies; an
 * address of IPv6 as {@code [} and its 16 bytes, as one address has many texts. One per event loop;
 * allocates nothing.
 */
public final class HostName {
  static final int ADDRESS_BYTES = 1 + 16;

  private final UnsafeBuffer address = new UnsafeBuffer(new byte[ADDRESS_BYTES]);
  private final IpText text = new IpText();
  private DirectBuffer bytes;
  private int from;
  private int to;

  /** Reads the host of an authority. */
  public void read(DirectBuffer source, int offset, int length) {
    bytes = source;
    from = offset;
    to = end(source, offset, offset + length);
    if (to - from > 2
        && source.getByte(from) == '['
        && source.getByte(to - 1) == ']'
        && text.parseV6(source, from + 1, to - 1)) {
      bytes = address;
      from = 0;
      to = ADDRESS_BYTES;
      address.putByte(0, (byte) '[');
      address.putLong(1, text.high(), ByteOrder.BIG_ENDIAN);
      address.putLong(1 + Long.BYTES, text.low(), ByteOrder.BIG_ENDIAN);
    }
  }

  /** The end of a host's name: its port and a dot at the end stand behind. */
  public static int end(DirectBuffer bytes, int from, int to) {
    boolean isLiteral = from < to && bytes.getByte(from) == '[';
    int end = from;
    while (end < to && (isLiteral || bytes.getByte(end) != ':')) {
      isLiteral &= bytes.getByte(end++) != ']';
    }
    return end > from + 1 && bytes.getByte(end - 1) == '.' ? end - 1 : end;
  }

  /** The bytes that the offsets point into. */
  public DirectBuffer bytes() {
    return bytes;
  }

  /** The index at which the host begins. */
  public int from() {
    return from;
  }

  /** The index at which the host ends; at which it begins if there is none. */
  public int to() {
    return to;
  }
}
