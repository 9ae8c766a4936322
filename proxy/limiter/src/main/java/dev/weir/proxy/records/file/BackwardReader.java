package dev.weir.proxy.records.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;

/** Reads the lines of a file from the last to the first. */
final class BackwardReader {
  private static final int BLOCK_BYTES = 1 << 16;

  private final FileChannel file;
  private byte[] block = {};
  private long blockAt;
  private long end;

  /**
   * @param end where the last line ends, behind its end of line.
   */
  BackwardReader(FileChannel file, long end) {
    this.file = file;
    this.end = end;
  }

  /** The offset at which the next line ends; 0 if there is none. */
  long end() {
    return end;
  }

  /** Returns a line without its end of line. */
  byte[] previous() throws IOException {
    for (int most = BLOCK_BYTES; ; most *= 8) {
      int last = (int) (end - blockAt) - 1;
      if (last >= 0 && last < block.length) {
        int start = last;
        while (start > 0 && block[start - 1] != '\n') {
          start--;
        }
        if (start > 0 || blockAt == 0) {
          end = blockAt + start;
          return Arrays.copyOfRange(block, start, last);
        }
      }
      if (most > 8L * LineReader.MOST_LINE_BYTES) {
        throw new IOException("a line is longer than " + LineReader.MOST_LINE_BYTES + " bytes");
      }
      blockAt = Math.max(0, end - most);
      block = new byte[(int) (end - blockAt)];
      ByteBuffer into = ByteBuffer.wrap(block);
      while (into.hasRemaining() && file.read(into, blockAt + into.position()) > 0) {}
    }
  }
}
