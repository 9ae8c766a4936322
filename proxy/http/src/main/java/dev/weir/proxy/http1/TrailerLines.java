package dev.weir.proxy.http1;

import io.netty.buffer.ByteBuf;

/**
 * The lines of trailer fields behind one chunked body that goes on in another form, kept until the
 * body ends. Most bodies have none, and then it holds nothing.
 */
public final class TrailerLines {
  private ByteBuf lines;

  /** Copies a line, as {@link ChunkScanner#TRAILER} has passed it. */
  public void add(ByteBuf in, int start, int length) {
    if (lines == null) {
      lines = in.alloc().directBuffer(ChunkScanner.MAX_TRAILER_BYTES);
    }
    lines.writeBytes(in, start, length);
  }

  public boolean isEmpty() {
    return lines == null;
  }

  /** Hands over the lines, for a {@link TrailerSection}; there are some. */
  public ByteBuf take() {
    ByteBuf taken = lines;
    lines = null;
    return taken;
  }

  public void discard() {
    if (lines != null) {
      lines.release();
      lines = null;
    }
  }
}
