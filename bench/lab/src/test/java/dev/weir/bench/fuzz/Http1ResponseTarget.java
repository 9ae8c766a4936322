package dev.weir.bench.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http1.ResponseHead;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;

/** The head of a response in HTTP/1.1: fed in pieces it says the same as at once. */
final class Http1ResponseTarget implements Consumer<byte[]> {
  private final ResponseHead head = new ResponseHead(50);

  @Override
  public void accept(byte[] input) {
    int whole = scan(input, input.length);
    for (int length = 0; length < input.length; length++) {
      int part = scan(input, length);
      if (whole > 0) {
        assertEquals(length < whole ? ResponseHead.INCOMPLETE : whole, part, "cut at " + length);
      } else if (part != whole) {
        assertEquals(ResponseHead.INCOMPLETE, part, "cut at " + length);
        assertEquals(ResponseHead.MALFORMED, whole, "cut at " + length);
      }
    }
    if (scan(input, input.length) > 0) {
      assertTrue(head.status() >= 100 && head.status() <= 599, () -> "status " + head.status());
      assertTrue(!head.chunked() || head.contentLength() < 0, "two framings");
    }
  }

  private int scan(byte[] input, int length) {
    return head.scan(new UnsafeBuffer(input, 0, length), 0, length);
  }
}
