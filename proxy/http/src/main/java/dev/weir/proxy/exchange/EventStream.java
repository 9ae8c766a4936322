package dev.weir.proxy.exchange;

import dev.weir.proxy.request.TextWriter;
import org.agrona.DirectBuffer;

/**
 * Finds the data of server-sent events (HTML Standard, section 9.2) in a content, in whatever
 * pieces it comes.
 */
final class EventStream {
  /** The meaning of the bytes that {@link #next} has found. */
  enum Part {
    /** Bytes of the value of a {@code data} field. */
    DATA,

    /** Other bytes of a line, or of its end. */
    OTHER,

    /** Other bytes, the last of which end an empty line, and the event with it. */
    EVENT_END
  }

  private static final byte[] FIELD = TextWriter.ascii("data:");

  /** The byte order mark in UTF-8, which may stand before the first line. */
  private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  /** Stands for the length of a line that is of no {@code data} field. */
  private static final int NO_DATA = -1;

  /** The number of bytes of {@code data:} that the line begins with; or {@link #NO_DATA}. */
  private int matched;

  /** The number of bytes of the mark that the content begins with; all once it has gone on. */
  private int marked;

  /** Whether a line feed ends no further line, as a carriage return stood before it. */
  private boolean isBehindReturn;

  private Part part;

  /** Starts with another content. */
  void start() {
    matched = 0;
    marked = 0;
    isBehindReturn = false;
  }

  /** The meaning of the bytes that {@link #next} has found last. */
  Part part() {
    return part;
  }

  /**
   * Finds the next bytes of one meaning.
   *
   * @param from index of the first.
   * @param to index behind the last that is there, above {@code from}.
   * @return the index behind the last that means the same.
   */
  int next(DirectBuffer bytes, int from, int to) {
    int at = from;
    while (matched == FIELD.length && at < to && !isEndOfLine(bytes.getByte(at))) {
      at++;
    }
    if (at > from) {
      isBehindReturn = false;
      part = Part.DATA;
      return at;
    }
    part = Part.OTHER;
    do {
      pass(bytes.getByte(at++));
    } while (at < to && matched < FIELD.length && part == Part.OTHER);
    return at;
  }

  private void pass(byte b) {
    if (marked < MARK.length) {
      if (b == MARK[marked]) {
        marked++;
        return;
      }
      matched = marked == 0 ? 0 : NO_DATA;
      marked = MARK.length;
    }
    boolean isSameEnd = b == '\n' && isBehindReturn;
    isBehindReturn = b == '\r';
    if (isSameEnd) {
      return;
    }
    if (isEndOfLine(b)) {
      part = matched == 0 ? Part.EVENT_END : Part.OTHER;
      matched = 0;
    } else {
      matched = matched != NO_DATA && b == FIELD[matched] ? matched + 1 : NO_DATA;
    }
  }

  private static boolean isEndOfLine(byte b) {
    return b == '\n' || b == '\r';
  }
}
