package dev.weir.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Content that a {@link StreamOwner} was lent and keeps, in a buffer of its own. */
public final class ReceivedContent {
  /** Content of this length or more is handed on in the memory of its read, not copied. */
  private static final int MIN_SLICE_BYTES = 4096;

  private ReceivedContent() {}

  /**
   * The {@code bytes} from {@code offset} on, the caller's to release.
   *
   * @param goesOn whether they are sent at once: else a few of them would keep the memory of a
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
