package dev.weir.proxy.exchange;

import dev.weir.proxy.loop.ChannelIo;
import io.netty.buffer.ByteBuf;

/**
 * What has come of a body before its request has a connection: all of it, or so much that it can be
 * said to flow. While a client is slow to send that, nobody's connection waits for it.
 *
 * <p>It holds {@value #ENOUGH_BYTES} bytes and what one read brings beyond them; then the client is
 * read no further until there is a connection.
 */
final class GatheredBody {
  static final int ENOUGH_BYTES = 16 * 1024;

  private ByteBuf bytes;
  private final GatheredTrailers trailers = new GatheredTrailers();

  /** Takes over {@code more}. */
  void append(ByteBuf more) {
    bytes = ChannelIo.append(bytes, more);
  }

  /** Whether a body of which there is so much deserves a connection though more is to come. */
  boolean isEnough() {
    return bytes != null && bytes.readableBytes() >= ENOUGH_BYTES;
  }

  /** The memory that it takes. */
  int memoryBytes() {
    return bytes == null ? 0 : bytes.capacity();
  }

  /** Hands over what there is; null if there is nothing. */
  ByteBuf take() {
    ByteBuf all = bytes;
    bytes = null;
    return all;
  }

  /** The trailers that came behind it. */
  GatheredTrailers trailers() {
    return trailers;
  }

  void discard() {
    trailers.discard();
    if (bytes != null) {
      bytes.release();
      bytes = null;
    }
  }
}
