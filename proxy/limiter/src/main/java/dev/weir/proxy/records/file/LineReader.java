package dev.weir.proxy.records.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;

/** Reads the lines of a file one after the other, in place. */
final class LineReader {
  /** The longest line; a longer one is no record of ours. */
  static final int MOST_LINE_BYTES = 64 << 20;

  private final FileChannel file;
  private byte[] bytes = new byte[1 << 16];

  /** The bytes that were read and not yet returned. */
  private int from;

  private int to;

  /** The offset of {@link #to} in the file. */
  private long read;

  private int start;
  private int length;
  private boolean isEnded;

  /**
   * @param position of the first line.
   */
  LineReader(FileChannel file, long position) {
    this.file = file;
    this.read = position;
  }

  /** Goes to the next line; false at the end of the file. */
  boolean next() throws IOException {
    int at = from;
    while (true) {
      for (; at < to; at++) {
        if (bytes[at] == '\n') {
          return line(at, true);
        }
      }
      at -= from;
      if (!more()) {
        return from < to && line(to, false);
      }
    }
  }

  private boolean line(int end, boolean ended) {
    start = from;
    length = end - from;
    isEnded = ended;
    from = ended ? end + 1 : end;
    return true;
  }

  /** Moves what is there to the front, and reads on. */
  private boolean more() throws IOException {
    System.arraycopy(bytes, from, bytes, 0, to - from);
    to -= from;
    from = 0;
    if (to == bytes.length) {
      if (to >= MOST_LINE_BYTES) {
        throw new IOException("a line is longer than " + MOST_LINE_BYTES + " bytes");
      }
      bytes = Arrays.copyOf(bytes, 2 * to);
    }
    int count = file.read(ByteBuffer.wrap(bytes, to, bytes.length - to), read);
    if (count <= 0) {
      return false;
    }
    to += count;
    read += count;
    return true;
  }

  /** The bytes in which the line is, until {@link #next}. */
  byte[] bytes() {
    return bytes;
  }

  /** The index in {@link #bytes} at which the line begins. */
  int start() {
    return start;
  }

  /** How long it is, without its end of line. */
  int length() {
    return length;
  }

  /** The offset in the file at which the line begins. */
  long position() {
    return read - to + start;
  }

  /** The offset in the file at which the next line begins. */
  long end() {
    return read - to + from;
  }

  /** Whether it has an end of line. */
  boolean isEnded() {
    return isEnded;
  }
}
