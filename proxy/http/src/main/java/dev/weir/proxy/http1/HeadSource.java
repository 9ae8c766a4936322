package dev.weir.proxy.http1;

import io.netty.buffer.ByteBuf;

/**
 * The bytes of a scanned head, from which those are copied that stay as they came. Offsets count
 * from the start of the head, as those of its view do.
 */
public final class HeadSource {
  private ByteBuf in;
  private int start;
  private int length;

  HeadSource() {}

  /**
   * Sets the bytes.
   *
   * @param bytes stays the caller's.
   * @param from start of the head in {@code bytes}.
   * @param headLength the head's length in bytes.
   */
  public void set(ByteBuf bytes, int from, int headLength) {
    in = bytes;
    start = from;
    length = headLength;
  }

  /** The head's length in bytes. */
  public int length() {
    return length;
  }

  void copy(int offset, int partLength, ByteBuf out) {
    out.writeBytes(in, start + offset, partLength);
  }
}
