package dev.weir.proxy.http1;

import dev.weir.proxy.request.Ascii;
import org.agrona.DirectBuffer;

/**
 * One field line (RFC 9112, section 5): name, colon, value, CRLF. A line without colon, with white
 * space before the colon, folded, ended by a bare LF or with a control character is malformed.
 * Reused; valid until the next scan.
 */
final class FieldLine {
  static final int INCOMPLETE = -1;
  static final int MALFORMED = -2;

  private int nameLength;
  private int valueOffset;
  private int valueLength;

  /**
   * Scans the line that starts at {@code from}.
   *
   * @return the offset behind its CRLF, {@link #INCOMPLETE} if it does not end before {@code limit}
   *     and is well formed so far, or {@link #MALFORMED}.
   */
  int scan(DirectBuffer bytes, int from, int limit) {
    int i = from;
    while (i < limit && Ascii.isToken(bytes.getByte(i))) {
      i++;
    }
    if (i == limit) {
      return INCOMPLETE;
    }
    if (i == from || bytes.getByte(i) != ':') {
      return MALFORMED;
    }
    nameLength = i - from;
    int end = Ascii.findControl(bytes, i + 1, limit);
    if (end == limit) {
      return INCOMPLETE;
    }
    int next = Grammar.endOfLine(bytes, end, limit);
    if (next > 0) {
      trim(bytes, i + 1, end);
    }
    return next;
  }

  private void trim(DirectBuffer bytes, int from, int to) {
    int start = Ascii.skipBlanks(bytes, from, to);
    int end = Ascii.trimBlanks(bytes, start, to);
    valueOffset = start;
    valueLength = end - start;
  }

  int nameLength() {
    return nameLength;
  }

  int valueOffset() {
    return valueOffset;
  }

  int valueLength() {
    return valueLength;
  }
}
