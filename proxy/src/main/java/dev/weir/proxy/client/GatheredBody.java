package dev.weir.proxy.client;

import dev.weir.proxy.http1.BodySink;
import dev.weir.proxy.http1.RequestSink;
import dev.weir.proxy.loop.Bytes;
import io.netty.buffer.ByteBuf;

/**
 * What has come of a body before its request has an upstream connection: all of it, or so much that
 * it can be said to flow. While a client is slow to send that, nobody's connection waits for it.
 *
 * <p>It holds {@value #ENOUGH_BYTES} bytes and what one read brings beyond them; then the client is
 * read no further until there is a connection.
 */
final class GatheredBody implements BodySink {
  static final int ENOUGH_BYTES = 16 * 1024;

  private ByteBuf bytes;

  @Override
  public void writeBody(ByteBuf more) {
    bytes = Bytes.append(bytes, more);
  }

  /** Whether a body of which there is so much deserves a connection though more is to come. */
  boolean isEnough() {
    return bytes != null && bytes.readableBytes() >= ENOUGH_BYTES;
  }

  /** Passes on what there is. */
  void passTo(RequestSink upstream) {
    ByteBuf all = bytes;
    bytes = null;
    if (all != null) {
      upstream.writeBody(all);
    }
  }

  void discard() {
    if (bytes != null) {
      bytes.release();
      bytes = null;
    }
  }
}
