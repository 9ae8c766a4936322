package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.http2.Http2Connection;
import io.netty.buffer.ByteBuf;

/**
 * The bytes of a request as they were sent, kept until a response begins: if the service has not
 * processed the request, they are sent again. A head is always kept, of a body at most {@value
 * #MAX_BODY_BYTES} bytes; a request with more is not sent again.
 */
final class ReplayBuffer {
  static final int MAX_BODY_BYTES = 4 * 1024;

  private ByteBuf bytes;
  private int headBytes;
  private boolean ended;
  private boolean whole;

  /** The position of the head in all that its connection has written. */
  private long offset;

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

  /** Drops the body, as it is too large: the request cannot be sent again. */
  void forgetBody() {
    whole = false;
  }

  /** Whether everything that was sent is kept. */
  boolean isWhole() {
    return bytes != null && whole;
  }

  /** Sends the head, and ends the stream if nothing follows. */
  void sendHead(Http2Connection connection, int stream) {
    offset = connection.writtenBytes();
    connection.sendHead(stream, bytes, headBytes, ended && bodyBytes() == 0);
  }

  /** Sends everything; returns how much of the body waits. */
  int send(Http2Connection connection, int stream) {
    sendHead(connection, stream);
    return bodyBytes() == 0 ? 0 : connection.sendData(stream, copyBody(), ended);
  }

  /** Whether the connection that it was written to has sent none of it. */
  boolean isUnsent(Http2Connection connection) {
    return connection.isUnsent(offset);
  }

  private int bodyBytes() {
    return bytes.readableBytes() - headBytes;
  }

  private ByteBuf copyBody() {
    return bytes
        .alloc()
        .directBuffer(bodyBytes())
        .writeBytes(bytes, bytes.readerIndex() + headBytes, bodyBytes());
  }

  void discard() {
    if (bytes != null) {
      bytes.release();
      bytes = null;
    }
  }
}
