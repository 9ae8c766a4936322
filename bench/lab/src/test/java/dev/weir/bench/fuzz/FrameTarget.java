package dev.weir.bench.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.FrameLog;
import dev.weir.proxy.http2.FrameReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;

/**
 * Frames of HTTP/2. Byte by byte they tell the same as at once, and end with the same code; content
 * takes exactly as much of the windows as its frames are long, and no more is read than came.
 */
final class FrameTarget implements Consumer<byte[]> {
  private static final int MAX_BLOCK_BYTES = 32 * 1024;

  @Override
  public void accept(byte[] input) {
    FrameLog whole = new FrameLog();
    int wholeCode = read(input, input.length, whole);
    FrameLog pieces = new FrameLog();
    int code = read(input, 1, pieces);
    assertEquals(whole.lines(), pieces.lines());
    assertEquals(wholeCode, code);
  }

  /** Feeds {@code step} bytes at a time. */
  private static int read(byte[] input, int step, FrameLog trace) {
    FrameReader reader = new FrameReader(MAX_BLOCK_BYTES);
    ByteBuf in = Unpooled.buffer(Math.max(1, input.length));
    int code = ErrorCode.NO_ERROR;
    try {
      for (int at = 0; at < input.length && code == ErrorCode.NO_ERROR; at += step) {
        in.writeBytes(input, at, Math.min(step, input.length - at));
        int before = -1;
        while (code == ErrorCode.NO_ERROR && in.readerIndex() != before) {
          before = in.readerIndex();
          code = reader.read(in, trace);
        }
      }
    } finally {
      reader.close();
      in.release();
    }
    return code;
  }
}
