package dev.weir.proxy.downstream.h1;

import dev.weir.proxy.exchange.ProxiedRequest;
import dev.weir.proxy.http1.ChunkScanner;
import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.http1.TrailerLines;
import dev.weir.proxy.loop.ChannelIo;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The body of the request in flight on one connection. It is forwarded with its chunked framing, or
 * without it if the service's protocol has its own.
 */
final class RequestBody {
  enum Progress {
    /** Some bytes are left, for later or for the next request. */
    TOOK_SOME,
    /** The buffer itself was passed on, and no longer belongs to the caller. */
    TOOK_ALL,
    MALFORMED
  }

  private final ChunkScanner chunks = new ChunkScanner();
  private final TrailerLines trailers = new TrailerLines();
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
    chunks.reset();
    trailers.discard();
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
    ChannelIo.view(in, window);
    int limit = in.readableBytes();
    int base = in.readerIndex();
    int passFrom = 0;
    int at = 0;
    int kind;
    do {
      kind = chunks.next(window, at, limit);
      if (kind == ChunkScanner.INCOMPLETE) {
        break;
      }
      if (kind == ChunkScanner.MALFORMED) {
        return Progress.MALFORMED;
      }
      int end = chunks.segmentEnd();
      if (!passes(kind)) {
        pass(in, base, passFrom, at);
        passFrom = end;
        if (kind == ChunkScanner.TRAILER) {
          trailers.add(in, base + at, end - at);
        }
      }
      at = end;
    } while (kind != ChunkScanner.END);
    complete = kind == ChunkScanner.END && passFrom < at;
    pass(in, base, passFrom, at);
    if (kind == ChunkScanner.END && !complete) {
      complete = true;
      end();
    }
    in.skipBytes(at);
    return Progress.TOOK_SOME;
  }

  /** Whether a segment is forwarded in the buffer it stands in. */
  private boolean passes(int kind) {
    return switch (request.bodyForm()) {
      case AS_FRAMED -> kind != ChunkScanner.OMIT;
      case DATA -> kind == ChunkScanner.DATA;
    };
  }

  /** Ends a chunked body whose last chunk was not passed on. */
  private void end() {
    if (trailers.isEmpty()) {
      request.data(Unpooled.EMPTY_BUFFER, true);
      return;
    }
    ByteBuf lines = trailers.take();
    try {
      request.requestTrailers(loop.trailers(lines));
    } finally {
      lines.release();
    }
  }

  /** Releases what was kept, as the connection is gone. */
  void discard() {
    trailers.discard();
  }

  private void pass(ByteBuf in, int base, int from, int to) {
    if (to > from) {
      request.data(in.retainedSlice(base + from, to - from), complete);
    }
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
