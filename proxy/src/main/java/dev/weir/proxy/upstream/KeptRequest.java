package dev.weir.proxy.upstream;

import io.netty.buffer.ByteBuf;

/**
 * The bytes of one request as they were sent, kept until an answer begins: if the service says that
 * it has not looked at the request, they are sent again. A head is always kept, of a body {@value
 * #MAX_BODY_BYTES} bytes at most: who sends more than that is told, and may repeat it.
 */
final class KeptRequest {
  static final int MAX_BODY_BYTES = 4 * 1024;

  private ByteBuf bytes;
  private int headBytes;
  private boolean ended;
  private boolean whole;

  /**
   * Takes over a head.
   *
   * @param end whether no body follows.
   */
  void head(ByteBuf block, boolean end) {
    bytes = block;
    headBytes = block.readableBytes();
    ended = end;
    whole = true;
  }

  /** Copies some of the body. */
  void add(ByteBuf content, boolean end) {
    if (bytes == null || !whole) {
      return;
    }
    int length = content.readableBytes();
    if (bytes.readableBytes() - headBytes + length > MAX_BODY_BYTES) {
      forgetBody();
    } else {
      bytes.writeBytes(content, content.readerIndex(), length);
      ended = end;
    }
  }

  /** There is something that is not kept: the request cannot be sent again. */
  void forgetBody() {
    whole = false;
  }

  /** Whether all that was sent is here. */
  boolean isWhole() {
    return bytes != null && whole;
  }

  /** Whether the head, or the body that is kept, was the last of the request. */
  boolean ended() {
    return ended;
  }

  /** Whether there is any of the body. */
  boolean hasBody() {
    return bytes.readableBytes() > headBytes;
  }

  /** Sends the head on a stream, which may end with it. */
  void sendHead(Http2Upstream connection, int stream, boolean endStream) {
    connection.sendHead(stream, bytes, headBytes, endStream);
  }

  /** A copy of what there is of the body, the caller's to release. */
  ByteBuf copyBody() {
    int length = bytes.readableBytes() - headBytes;
    return bytes
        .alloc()
        .directBuffer(Math.max(1, length))
        .writeBytes(bytes, bytes.readerIndex() + headBytes, length);
  }

  void discard() {
    if (bytes != null) {
      bytes.release();
      bytes = null;
    }
  }
}
