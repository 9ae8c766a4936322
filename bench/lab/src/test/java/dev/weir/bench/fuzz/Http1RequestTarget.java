package dev.weir.bench.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.http1.RequestHeadWriter;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TargetNormaliser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The head of a request in HTTP/1.1. Fed in pieces it says the same as at once: nothing before it
 * is whole, or what is wrong, and the same from there on. What is written for the service is a head
 * for the same scanner, with the same method, target and framing.
 */
final class Http1RequestTarget implements Consumer<byte[]> {
  private static final int MAX_FIELDS = 50;
  private static final int MAX_TARGET_BYTES = 1024;

  private final RequestHead head = new RequestHead(MAX_FIELDS, MAX_TARGET_BYTES);
  private final RequestHead written = new RequestHead(2 * MAX_FIELDS, MAX_TARGET_BYTES);
  private final RequestHeadWriter writer = new RequestHeadWriter("service");

  @Override
  public void accept(byte[] input) {
    int whole = scan(input, input.length);
    for (int length = 0; length < input.length; length++) {
      int part = scan(input, length);
      if (whole > 0) {
        assertEquals(length < whole ? RequestHead.INCOMPLETE : whole, part, "cut at " + length);
      } else if (part != whole) {
        assertEquals(RequestHead.INCOMPLETE, part, "cut at " + length);
        assertEquals(RequestHead.REFUSED, whole, "cut at " + length);
      }
    }
    if (scan(input, input.length) > 0) {
      forward(input, whole);
    }
  }

  private int scan(byte[] input, int length) {
    return head.scan(new UnsafeBuffer(input, 0, length), 0, length, Peer.LOOPBACK);
  }

  private void forward(byte[] input, int length) {
    RequestView view = head.view();
    UnsafeBuffer bytes = new UnsafeBuffer(input);
    if (!head.asteriskForm()) {
      int at = view.pathOffset();
      int result = TargetNormaliser.normalise(bytes, at, view.pathLength(), bytes, at);
      if (result < 0) {
        return;
      }
      if (result > 0) {
        view.path(at, result);
      }
    }
    ByteBuf in = Unpooled.wrappedBuffer(input);
    head.source().set(in, 0, length);
    ByteBuf out = writer.write(head, ByteBufAllocator.DEFAULT);
    try {
      check(out);
    } finally {
      out.release();
    }
  }

  private void check(ByteBuf out) {
    byte[] copy = new byte[out.readableBytes()];
    out.getBytes(out.readerIndex(), copy);
    int length = written.scan(new UnsafeBuffer(copy), 0, copy.length, Peer.LOOPBACK);
    assertEquals(copy.length, length, () -> "written: " + written.fault());
    RequestView is = head.view();
    RequestView goes = written.view();
    assertEquals(
        is.text(is.methodOffset(), is.methodLength()),
        goes.text(goes.methodOffset(), goes.methodLength()));
    assertEquals(
        is.text(is.pathOffset(), is.pathLength()), goes.text(goes.pathOffset(), goes.pathLength()));
    assertEquals(is.queryLength(), goes.queryLength());
    assertEquals(head.hasBody(), written.hasBody());
    assertEquals(head.chunked(), written.chunked());
    assertEquals(head.contentLength(), written.contentLength());
    assertTrue(!written.http10() && !written.absoluteForm());
  }
}
