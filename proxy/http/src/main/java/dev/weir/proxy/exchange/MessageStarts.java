package dev.weir.proxy.exchange;

import io.netty.buffer.ByteBuf;

/**
 * Finds where messages begin in the body of a gRPC call, in whatever pieces it arrives. Each
 * message has a prefix of five bytes: flags, and its length in four bytes.
 */
final class MessageStarts {
  private static final int PREFIX_BYTES = 5;
  private static final int LENGTH_BYTES = 4;

  /** Bytes of the current prefix that have not arrived. */
  private int prefixLeft;

  /**
   * Bytes of the current message that have not arrived, unsigned; known as far as its prefix has
   * arrived.
   */
  private int left;

  /** A message begins with the byte that comes next. */
  void begin() {
    prefixLeft = PREFIX_BYTES;
    left = 0;
  }

  /**
   * Follows bytes of the current message.
   *
   * @param from index of the first byte.
   * @param to index behind the last.
   * @return the index at which the next message begins; {@code to} if none does.
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
