package dev.weir.proxy.loop;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.EmptyByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.DuplexChannel;
import org.agrona.concurrent.UnsafeBuffer;

/** Looks at received bytes, keeps them, and sends bytes, each in the one way that is right. */
public final class ChannelIo {
  /** Written behind the last byte of a connection's output, and told from other empty buffers. */
  public static final ByteBuf OUTPUT_END = new EmptyByteBuf(UnpooledByteBufAllocator.DEFAULT);

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

  /** Points {@code window} at the next {@code bytes} that may be written of {@code out}. */
  public static void viewRoom(ByteBuf out, int bytes, UnsafeBuffer window) {
    if (out.hasMemoryAddress()) {
      window.wrap(out.memoryAddress() + out.writerIndex(), bytes);
    } else {
      window.wrap(out.nioBuffer(out.writerIndex(), bytes));
    }
  }

  /** Takes over two buffers, and returns one that holds {@code more} behind {@code kept}. */
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
   * Writes {@code bytes}, which it takes over. Where the pipeline holds no outbound handler, what
   * it would look for is not there, and they go past it; any handler that encrypts or frames gets
   * them, wherever and whenever it was added. A failure closes the channel.
   */
  public static void write(Channel channel, ByteBuf bytes) {
    if (isUnhandled(channel.pipeline())) {
      channel.unsafe().write(bytes, channel.voidPromise());
    } else {
      channel.write(bytes, channel.voidPromise());
    }
  }

  /** Sends what has been written. */
  public static void flush(Channel channel) {
    if (isUnhandled(channel.pipeline())) {
      channel.unsafe().flush();
    } else {
      channel.flush();
    }
  }

  /**
   * Whether no handler sees what is written, because a connection's own is the only one there.
   * Asked anew for each write, as handlers may come and go, by any thread: it reads two fields of
   * the pipeline, and a class.
   */
  private static boolean isUnhandled(ChannelPipeline pipeline) {
    ChannelHandlerContext only = pipeline.firstContext();
    return only == null
        || only == pipeline.lastContext() && only.handler() instanceof InboundHandler;
  }

  /** Whether all that was written is the system's to deliver: no buffer and no handler keeps it. */
  public static boolean areSent(Channel channel) {
    ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
    return unsent == null
        || unsent.totalPendingWriteBytes() == 0 && isUnhandled(channel.pipeline());
  }

  /**
   * Sends what has been written, and then the end of the output, behind which the other side may
   * still send. A failure closes the channel.
   *
   * <p>Outbound handlers see the end as {@link #OUTPUT_END}, in its place behind all bytes. What
   * they write themselves before its promise is done is sent before the end.
   *
   * @param ended is called when the output has ended; not called if the channel closes before.
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
