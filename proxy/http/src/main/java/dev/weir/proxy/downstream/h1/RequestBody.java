package dev.weir.proxy.downstream.h1;

import dev.weir.proxy.exchange.ProxiedRequest;
import dev.weir.proxy.http1.ChunkScanner;
import dev.weir.proxy.http1.ChunkedBody;
import dev.weir.proxy.http1.RequestHead;
import io.netty.buffer.ByteBuf;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The body of the request in flight on one connection. It is forwarded with its chunked framing, or
 * without it if the service's protocol has its own.
 */
final class RequestBody implements ChunkedBody.Taker {
  enum Progress {
    /** Some bytes are left, for later or for the next request. */
    TOOK_SOME,
    /** The buffer itself was passed on, and no longer belongs to the caller. */
    TOOK_ALL,
    MALFORMED
  }

  private final ChunkedBody chunks = new ChunkedBody();
  private final Http1ClientLoop loop;
  private final ProxiedRequest request;
  private boolean chunked;
  private boolean complete = true;
  private long left;

  /**
   * @param request to which the body is passed.
   */
  RequestBody(Http1ClientLoop loop, ProxiedRequest request) {
    this.loop = loop;
    this.request = request;
  }

  void start(RequestHead head) {
    chunked = head.chunked();
    left = Math.max(0, head.contentLength());
    complete = !head.hasBody();
    chunks.start();
  }

  /**
   * Whether the whole body has been passed on. A request without a body is complete from the start.
   */
  boolean complete() {
    return complete;
  }

  /**
   * Passes on the bytes that belong to the body.
   *
   * @param in may be null.
   */
  Progress forward(ByteBuf in, UnsafeBuffer window) {
    if (complete || in == null || !in.isReadable()) {
      return Progress.TOOK_SOME;
    }
    return chunked ? forwardChunks(in, window) : forwardLength(in);
  }

  private Progress forwardLength(ByteBuf in) {
    int taken = (int) Math.min(left, in.readableBytes());
    left -= taken;
    complete = left == 0;
    if (taken == in.readableBytes()) {
      request.data(in, complete);
      return Progress.TOOK_ALL;
    }
    request.data(in.readRetainedSlice(taken), complete);
    return Progress.TOOK_SOME;
  }

  private Progress forwardChunks(ByteBuf in, UnsafeBuffer window) {
    return chunks.read(in, window, request.bodyForm(), this) == ChunkedBody.Progress.MALFORMED
        ? Progress.MALFORMED
        : Progress.TOOK_SOME;
  }

  @Override
  public void piece(ByteBuf bytes, boolean last) {
    complete = last;
    request.data(bytes, last);
  }

  @Override
  public void trailers(ByteBuf lines) {
    complete = true;
    request.requestTrailers(loop.trailers.read(lines));
  }

  /** Releases what was kept, as the connection is gone. */
  void discard() {
    chunks.discard();
  }

  /**
   * Discards the body, if it has arrived completely.
   *
   * @param expectsContinue whether the client still waits for a 100 before it sends the body.
   * @return whether the next request starts after it; if not, the connection cannot be used any
   *     more.
   */
  boolean skip(ByteBuf in, boolean expectsContinue) {
    if (complete) {
      return true;
    }
    if (chunked || expectsContinue || in == null || in.readableBytes() < left) {
      return false;
    }
    in.skipBytes((int) left);
    complete = true;
    return true;
  }

  /**
   * Whether the part of a chunked body that stands in {@code bytes[from, limit)} is well formed.
   */
  static boolean isWellFormed(ChunkScanner probe, DirectBuffer bytes, int from, int limit) {
    probe.reset();
    int at = from;
    while (true) {
      int kind = probe.next(bytes, at, limit);
      if (kind == ChunkScanner.INCOMPLETE || kind == ChunkScanner.END) {
        return true;
      }
      if (kind == ChunkScanner.MALFORMED) {
        return false;
      }
      at = probe.segmentEnd();
    }
  }
}
