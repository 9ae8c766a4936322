package dev.weir.proxy.loop;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
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

  /**
   * Sends what has been written, and then the end of the output, behind which the other side may
   * still send. A failure closes the channel.
   *
   * @param ended is called when the output has ended; not called if the channel closes before.
   */
  public static void endOutput(Channel channel, Runnable ended) {
    channel
        .writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(
            written -> {
              if (written.isSuccess() && channel instanceof DuplexChannel duplex) {
                duplex.shutdownOutput();
                ended.run();
              } else {
                channel.close();
              }
            });
  }

  public static void flush(Channel channel) {
    channel.unsafe().flush();
  }
}
