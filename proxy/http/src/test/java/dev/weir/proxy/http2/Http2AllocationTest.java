package dev.weir.proxy.http2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.TurnEnd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A call on a connection that is warm makes no object: neither its frames, fields nor stream. */
@Tag("allocation")
class Http2AllocationTest {
  private static final int CALLS = 2_000;
  private static final int STREAMS_PER_READ = 8;

  /** What Netty's channel of a test takes for each read and its tasks; nothing of it is ours. */
  private static final long NOISE_BYTES_PER_READ = 160;

  /** Throws away what is written, without the list that a channel of a test keeps. */
  private static final class Sink extends EmbeddedChannel {
    long bytes;

    @Override
    protected void doWrite(ChannelOutboundBuffer in) {
      for (Object message = in.current(); message != null; message = in.current()) {
        bytes += ((ByteBuf) message).readableBytes();
        in.remove();
      }
    }
  }

  @Test
  void aCallAllocatesNothing() {
    withoutLeakDetection(
        () -> {
          final long least = leastBytes(STREAMS_PER_READ);
          assertTrue(
              least <= CALLS * NOISE_BYTES_PER_READ,
              least / CALLS + " bytes for each read of " + STREAMS_PER_READ + " calls");
        });
  }

  /** What a read allocates is the channel's, however many streams it is for. */
  @Test
  void anotherStreamInTheSameReadAllocatesNotAByte() {
    withoutLeakDetection(
        () -> {
          final long one = leastBytes(1);
          final long many = leastBytes(STREAMS_PER_READ);
          assertTrue(
              many - one < CALLS,
              (many - one) / CALLS + " bytes for " + (STREAMS_PER_READ - 1) + " more streams");
        });
  }

  private static void withoutLeakDetection(Runnable measured) {
    final ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED); // it allocates to watch
    try {
      measured.run();
    } finally {
      ResourceLeakDetector.setLevel(level);
    }
  }

  /** What the cheapest of several rounds allocates. */
  private static long leastBytes(int streamsPerRead) {
    final Sink channel = new Sink();
    final LoopClock clock = new LoopClock();
    final Http2Loop loop =
        new Http2Loop(
            clock,
            new Deadlines(clock),
            new TurnEnd(channel.eventLoop()),
            32 << 20,
            32 * 1024,
            100);
    final EchoConnection server = new EchoConnection(loop, channel);
    final FramePeer peer = new FramePeer(channel);
    peer.startAsClient().send();
    final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    final ByteBuf read = Unpooled.directBuffer(4_096);
    long least = Long.MAX_VALUE;
    int id = 1;
    for (int round = 0; round < 8; round++) { // the first ones also load
      final long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < CALLS; i++) {
        read.clear();
        for (int s = 0; s < streamsPerRead; s++, id += 2) {
          write(read, id);
        }
        read.writeMedium(4).writeByte(FrameType.WINDOW_UPDATE).writeByte(0).writeInt(0);
        read.writeInt(streamsPerRead * 6);
        channel.pipeline().fireChannelRead(read.retain());
        channel.runPendingTasks();
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertEquals(0, server.connection.streamCount());
    assertEquals(1, read.refCnt());
    read.release();
    assertTrue(channel.isOpen());
    assertTrue(channel.bytes > 8L * CALLS * streamsPerRead * 20, channel.bytes + " bytes");
    channel.finishAndReleaseAll();
    return least;
  }

  /** A head of indexed fields and one that is inserted at each call, and a body. */
  private static void write(ByteBuf out, int id) {
    out.writeMedium(3 + 15).writeByte(FrameType.HEADERS).writeByte(FrameFlag.END_HEADERS);
    out.writeInt(id).writeByte(0x83).writeByte(0x86).writeByte(0x84);
    out.writeByte(0x40).writeByte(3).writeByte('x').writeByte('-').writeByte('t');
    out.writeByte(9);
    for (int i = 0; i < 9; i++) {
      out.writeByte('0' + (id >> i & 7));
    }
    out.writeMedium(38).writeByte(FrameType.DATA).writeByte(FrameFlag.END_STREAM).writeInt(id);
    out.writeZero(38);
  }
}
