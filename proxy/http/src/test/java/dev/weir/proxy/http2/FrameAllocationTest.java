package dev.weir.proxy.http2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("allocation")
class FrameAllocationTest {
  private static final int REQUESTS = 20_000;
  private static final long NOISE_BYTES = 4_096;

  /** Takes what it is told, and remembers only how much that was. */
  private static final class Counting implements FrameSink {
    long bytes;

    @Override
    public int headers(int streamId, ByteBuf block, int offset, int count, boolean endStream) {
      bytes += count;
      return ErrorCode.NO_ERROR;
    }

    @Override
    public int data(
        int streamId, ByteBuf in, int offset, int count, int creditBytes, boolean endStream) {
      bytes += count;
      return ErrorCode.NO_ERROR;
    }

    @Override
    public int reset(int streamId, int errorCode) {
      return ErrorCode.NO_ERROR;
    }

    @Override
    public int setting(int id, long value) {
      return ErrorCode.NO_ERROR;
    }

    @Override
    public int settingsEnd() {
      return ErrorCode.NO_ERROR;
    }

    @Override
    public int ping(long data) {
      return ErrorCode.NO_ERROR;
    }

    @Override
    public int goAway(int lastStreamId, int errorCode) {
      return ErrorCode.NO_ERROR;
    }

    @Override
    public int windowUpdate(int streamId, int bytes) {
      return ErrorCode.NO_ERROR;
    }

    @Override
    public int streamFault(int streamId, int errorCode) {
      return errorCode;
    }
  }

  @Test
  void readingAllocatesNothing() {
    final ByteBuf call =
        Unpooled.copiedBuffer(
            FrameBytes.frame(FrameType.HEADERS, FrameFlag.END_HEADERS, 1, new byte[18]),
            FrameBytes.frame(FrameType.DATA, FrameFlag.END_STREAM, 1, new byte[38]),
            FrameBytes.frame(FrameType.WINDOW_UPDATE, 0, 0, 0, 0, 0, 1),
            FrameBytes.frame(FrameType.RST_STREAM, 0, 1, 0, 0, 0, 0));
    final FrameReader reader = new FrameReader(1 << 15);
    final Counting sink = new Counting();
    final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    int rounds = 0;
    for (; rounds < 5 && least > NOISE_BYTES; rounds++) { // the first ones also load
      final long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < REQUESTS; i++) {
        call.readerIndex(0);
        while (call.isReadable()) {
          reader.read(call, sink);
        }
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertTrue(least < NOISE_BYTES, least + " bytes");
    assertEquals(56L * REQUESTS * rounds, sink.bytes);
  }
}
