package dev.weir.proxy.http1;

import org.agrona.DirectBuffer;

/** Finds the ends of request targets and lines. */
final class Grammar {
  private static final boolean[] TARGET = new boolean[256];

  static {
    for (int c = '!'; c <= '~'; c++) {
      TARGET[c] = c != '#';
    }
  }

  private Grammar() {}

  /**
   * The first byte in [{@code from}, {@code limit}) that may not stand in a target: other than
   * visible ASCII, or the number sign. {@code limit} if there is none.
   */
  static int endOfTarget(DirectBuffer bytes, int from, int limit) {
    int i = from;
    while (i < limit && TARGET[bytes.getByte(i) & 0xFF]) {
      i++;
    }
    return i;
  }

  /**
   * Reads the CRLF at {@code at}, which is below {@code limit}.
   *
   * @return the offset behind it, {@link FieldLine#INCOMPLETE} or {@link FieldLine#MALFORMED}.
   */
  static int endOfLine(DirectBuffer bytes, int at, int limit) {
    if (bytes.getByte(at) != '\r') {
      return FieldLine.MALFORMED;
    }
    if (at + 1 == limit) {
      return FieldLine.INCOMPLETE;
    }
    return bytes.getByte(at + 1) == '\n' ? at + 2 : FieldLine.MALFORMED;
  }
}
