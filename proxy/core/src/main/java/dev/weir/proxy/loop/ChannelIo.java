package dev.weir.proxy.loop;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.EmptyByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DuplexChannel;
import org.agrona.concurrent.UnsafeBuffer;

/** Views, keeps and sends bytes of channels. */
public final class ChannelIo {
  /** Marks the end of a connection's output in the pipeline; recognised by identity. */
  public static final ByteBuf OUTPUT_END = new EmptyByteBuf(UnpooledByteBufAllocator.DEFAULT);

  /** How much waits for the other side of a connection before it counts as behind. */
  public static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(32 * 1024, 128 * 1024);

  private ChannelIo() {}

  /** Points {@code window} at the readable bytes of {@code in}, which must stay where they are. */
  public static void view(ByteBuf in, UnsafeBuffer window) {
    view(in, in.readerIndex(), in.readableBytes(), window);
  }

  /** Points {@code window} at bytes of {@code in}, read or not, which must stay where they are. */
  public static void view(ByteBuf in, int offset, int bytes, UnsafeBuffer window) {
    if (in.hasMemoryAddress()) {
      window.wrap(in.memoryAddress() + offset, bytes);
    } else {
      window.wrap(in.nioBuffer(offset, bytes));
    }
  }

  /** Points {@code window} at the next {@code bytes} that can be written to {@code out}. */
  public static void viewRoom(ByteBuf out, int bytes, UnsafeBuffer window) {
    if (out.hasMemoryAddress()) {
      window.wrap(out.memoryAddress() + out.writerIndex(), bytes);
    } else {
      window.wrap(out.nioBuffer(out.writerIndex(), bytes));
    }
  }

  /** Takes over two buffers, and returns one with {@code more} behind {@code kept}. */
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
   * Writes {@code bytes}, which it takes over. If the pipeline has no outbound handler, they go
   * past the pipeline, which saves its search; any handler that encrypts or frames gets them,
   * whenever it was added. A failure closes the channel.
   */
  public static void write(Channel channel, ByteBuf bytes) {
    if (isUnhandled(channel.pipeline())) {
      channel.unsafe().write(bytes, channel.voidPromise());
    } else {
      channel.write(bytes, channel.voidPromise());
    }
  }

  /** Flushes what has been written. */
  public static void flush(Channel channel) {
    if (isUnhandled(channel.pipeline())) {
      channel.unsafe().flush();
    } else {
      channel.flush();
    }
  }

  /**
   * Whether no handler sees what is written, as only the connection's own is there. Checked for
   * each write, as handlers may come and go on any thread: it reads two fields of the pipeline, and
   * a class.
   */
  private static boolean isUnhandled(ChannelPipeline pipeline) {
    ChannelHandlerContext only = pipeline.firstContext();
    return only == null
        || only == pipeline.lastContext() && only.handler() instanceof InboundHandler;
  }

  /** Whether the system has taken all that was written. */
  public static boolean areSent(Channel channel) {
    ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
    return unsent == null
        || unsent.totalPendingWriteBytes() == 0 && isUnhandled(channel.pipeline());
  }

  /**
   * Flushes what has been written, and then closes the output; the other side may still send. A
   * failure closes the channel.
   *
   * <p>Outbound handlers see the end as {@link #OUTPUT_END}, behind all bytes. What they write
   * before its promise is done is sent before the end.
   *
   * @param ended runs when the output has ended; not if the channel closes before.
   */
  public static void endOutput(Channel channel, Runnable ended) {
    channel
        .writeAndFlush(OUTPUT_END)
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
}
