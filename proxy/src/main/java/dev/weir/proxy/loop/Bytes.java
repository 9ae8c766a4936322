package dev.weir.proxy.loop;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import org.agrona.concurrent.UnsafeBuffer;

/** How received bytes are looked at, kept and sent. */
public final class Bytes {
  private Bytes() {}

  /** Points {@code window} at the readable bytes of {@code in}, which must stay where they are. */
  public static void view(ByteBuf in, UnsafeBuffer window) {
    if (in.hasMemoryAddress()) {
      window.wrap(in.memoryAddress() + in.readerIndex(), in.readableBytes());
    } else {
      window.wrap(in.nioBuffer());
    }
  }

  /** Takes over both, and returns what holds the bytes of one behind those of the other. */
  public static ByteBuf append(ByteBuf kept, ByteBuf more) {
    if (kept == null) {
      return more;
    }
    if (!kept.isReadable()) {
      kept.release();
      return more;
    }
    int length = more.readableBytes();
    ByteBuf joined = kept;
    if (kept.writableBytes() < length || kept.refCnt() > 1 || kept.isReadOnly()) {
      joined = kept.alloc().directBuffer(2 * (kept.readableBytes() + length));
      joined.writeBytes(kept);
      kept.release();
    }
    joined.writeBytes(more);
    more.release();
    return joined;
  }

  /**
   * Writes past the pipeline, which has no outbound handlers: what it would look for is not there.
   * Takes over {@code bytes}. A failure closes the channel.
   */
  public static void write(Channel channel, ByteBuf bytes) {
    channel.unsafe().write(bytes, channel.voidPromise());
  }

  public static void flush(Channel channel) {
    channel.unsafe().flush();
  }
}
