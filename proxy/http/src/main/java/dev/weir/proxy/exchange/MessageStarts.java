package dev.weir.proxy.exchange;

import io.netty.buffer.ByteBuf;

/**
 * Finds where messages begin in a body of gRPC, in whatever pieces it comes: each has a byte of
 * flags before it, and its length in four.
 */
final class MessageStarts {
  private static final int PREFIX_BYTES = 5;
  private static final int LENGTH_BYTES = 4;

  /** Bytes of the message's prefix that have not come. */
  private int prefixLeft;

  /** Bytes of the message that have not come, unsigned; as far as its prefix has. */
  private int left;

  /** A message begins with the byte that comes next. */
  void begin() {
    prefixLeft = PREFIX_BYTES;
    left = 0;
  }

  /**
   * Follows the message that has begun.
   *
   * @param from index of the first byte that comes.
   * @param to index behind the last.
   * @return the index of the byte that another message begins with; {@code to} if none does.
   */
  int next(ByteBuf bytes, int from, int to) {
    int at = from;
    while (at < to) {
      if (prefixLeft > 0) {
        byte b = bytes.getByte(at++);
        if (--prefixLeft < LENGTH_BYTES) {
          left = left << 8 | b & 0xFF;
        }
      } else if (left != 0) {
        int passed = (int) Math.min(Integer.toUnsignedLong(left), to - at);
        left -= passed;
        at += passed;
      } else {
        return at;
      }
    }
    return to;
  }
}
