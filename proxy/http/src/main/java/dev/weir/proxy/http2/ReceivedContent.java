package dev.weir.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Copies content that was lent to a {@link StreamOwner} and that it keeps. */
public final class ReceivedContent {
  /** Content of this length or more keeps the memory of its read, and is not copied. */
  static final int MIN_SLICE_BYTES = 4096;

  private ReceivedContent() {}

  /**
   * Returns the {@code bytes} from {@code offset} on, which the caller must release.
   *
   * @param goesOn whether they are sent at once: otherwise a few bytes would keep the memory of a
   *     whole read.
   */
  public static ByteBuf take(ByteBuf in, int offset, int bytes, boolean goesOn) {
    if (bytes == 0) {
      return Unpooled.EMPTY_BUFFER;
    }
    return goesOn && bytes >= MIN_SLICE_BYTES
        ? in.retainedSlice(offset, bytes)
        : in.alloc().directBuffer(bytes).writeBytes(in, offset, bytes);
  }
}
