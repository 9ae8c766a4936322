package dev.weir.proxy.downstream.h1;

import dev.weir.proxy.http1.HeadEnd;
import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RefusalReason;
import io.netty.buffer.ByteBuf;

/**
 * Finds the next head in the input of a connection, and every reason to refuse the request before
 * it is decided. The head is the loop's {@link RequestHead}.
 */
final class HeadReader {
  private final Http1ClientLoop loop;
  private final Peer peer;
  private final HeadEnd end = new HeadEnd();
  private boolean emptyLineSkipped;
  private RefusalReason fault;

  HeadReader(Http1ClientLoop loop, Peer peer) {
    this.loop = loop;
    this.peer = peer;
  }

  /**
   * Reads the head at the start of {@code in}, and consumes nothing.
   *
   * @return its length in bytes, {@link RequestHead#INCOMPLETE} or {@link RequestHead#REFUSED}.
   */
  int read(ByteBuf in) {
    skipEmptyLine(in);
    if (awaitsHead(in)) {
      return RequestHead.INCOMPLETE;
    }
    ChannelIo.view(in, loop.window);
    int maxBytes = loop.clients.settings.caps().headBytes();
    int readable = in.readableBytes();
    if (readable <= maxBytes && !end.isDue(loop.window, readable)) {
      return RequestHead.INCOMPLETE;
    }
    RequestHead head = loop.head;
    int length = head.scan(loop.window, 0, readable, peer);
    if (length == RequestHead.INCOMPLETE && readable <= maxBytes) {
      end.incomplete(loop.window, readable);
      return RequestHead.INCOMPLETE;
    }
    end.reset();
    emptyLineSkipped = false;
    fault =
        length == RequestHead.REFUSED
            ? head.fault()
            : length > maxBytes || length == RequestHead.INCOMPLETE
                ? RefusalReason.HEAD_TOO_LARGE
                : checkTargetAndBody(head, length, readable);
    head.source().set(in, in.readerIndex(), length);
    return fault == null ? length : RequestHead.REFUSED;
  }

  RefusalReason fault() {
    return fault;
  }

  /** Whether the input is empty, or may be the beginning of an empty line. */
  boolean awaitsHead(ByteBuf in) {
    return in == null
        || !in.isReadable()
        || !emptyLineSkipped && in.readableBytes() == 1 && in.getByte(in.readerIndex()) == '\r';
  }

  /**
   * Skips one empty line before a request, with which some clients end a body (RFC 9112, section
   * 2.2).
   */
  private void skipEmptyLine(ByteBuf in) {
    int at = in.readerIndex();
    if (!emptyLineSkipped
        && in.readableBytes() > 1
        && in.getByte(at) == '\r'
        && in.getByte(at + 1) == '\n') {
      in.skipBytes(2);
      emptyLineSkipped = true;
    }
  }

  /** Checks what the grammar of heads does not. */
  private RefusalReason checkTargetAndBody(RequestHead head, int length, int readable) {
    RefusalReason refusal = loop.forwards ? head.normalisePath(loop.window) : null;
    if (refusal != null) {
      return refusal;
    }
    // What is there of a chunked body is looked at before the request is decided, so that a
    // malformed one charges nobody and reaches nobody.
    return head.chunked() && !RequestBody.isWellFormed(loop.probe, loop.window, length, readable)
        ? RefusalReason.MALFORMED_CHUNK
        : null;
  }
}
