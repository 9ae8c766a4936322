package dev.weir.bench.fuzz;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http1.ChunkScanner;
import java.io.ByteArrayOutputStream;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A body in the chunked coding. Byte by byte it is the same as at once; and what is passed on of it
 * is a body with the same data and trailers, of which nothing is left out again.
 */
final class ChunkTarget implements Consumer<byte[]> {
  @Override
  public void accept(byte[] input) {
    Reading whole = new Reading();
    whole.read(input, input.length);
    Reading pieces = new Reading();
    for (int length = 1; length <= input.length; length++) {
      pieces.read(input, length);
    }
    assertEquals(whole.last, pieces.last);
    assertEquals(whole.at, pieces.at);
    assertArrayEquals(whole.data.toByteArray(), pieces.data.toByteArray());
    assertArrayEquals(whole.trailers.toByteArray(), pieces.trailers.toByteArray());
    assertArrayEquals(whole.passed.toByteArray(), pieces.passed.toByteArray());
    if (whole.last != ChunkScanner.MALFORMED) {
      Reading again = new Reading();
      byte[] passed = whole.passed.toByteArray();
      again.read(passed, passed.length);
      assertEquals(whole.last, again.last);
      assertEquals(passed.length, again.at);
      assertTrue(!again.omitted, "something is left out of what was passed on");
      assertArrayEquals(whole.data.toByteArray(), again.data.toByteArray());
      assertArrayEquals(whole.trailers.toByteArray(), again.trailers.toByteArray());
    }
  }

  /** What a scanner has said of a body, of which more and more comes. */
  private static final class Reading {
    private final ChunkScanner scanner = new ChunkScanner();
    private final ByteArrayOutputStream data = new ByteArrayOutputStream();
    private final ByteArrayOutputStream trailers = new ByteArrayOutputStream();
    private final ByteArrayOutputStream passed = new ByteArrayOutputStream();
    private int at;
    private int last = ChunkScanner.INCOMPLETE;
    private boolean omitted;

    void read(byte[] bytes, int length) {
      UnsafeBuffer window = new UnsafeBuffer(bytes, 0, length);
      while (last != ChunkScanner.MALFORMED && last != ChunkScanner.END) {
        last = scanner.next(window, at, length);
        if (last == ChunkScanner.INCOMPLETE || last == ChunkScanner.MALFORMED) {
          return;
        }
        int end = scanner.segmentEnd();
        assertTrue(end > at && end <= length || last == ChunkScanner.FRAMING, "segment of nothing");
        switch (last) {
          case ChunkScanner.DATA -> data.write(bytes, at, end - at);
          case ChunkScanner.TRAILER -> trailers.write(bytes, at, end - at);
          case ChunkScanner.OMIT -> omitted = true;
          default -> {
            // Framing.
          }
        }
        if (last != ChunkScanner.OMIT) {
          passed.write(bytes, at, end - at);
        }
        at = end;
      }
    }
  }
}
