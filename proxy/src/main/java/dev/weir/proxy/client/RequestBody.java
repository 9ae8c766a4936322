package dev.weir.proxy.client;

import dev.weir.proxy.http1.BodySink;
import dev.weir.proxy.http1.ChunkScanner;
import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.http1.RequestSink;
import dev.weir.proxy.loop.Bytes;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The body of the request in flight on one connection: where it ends, and how fast it comes. */
final class RequestBody {
  /**
   * A body that comes more slowly than this over the idle time is given up: while it is gathered.
   */
  static final int MIN_GATHERED_BYTES_PER_SECOND = 128;

  /** And while an upstream connection waits for it. */
  static final int MIN_FORWARDED_BYTES_PER_SECOND = 1024;

  enum Progress {
    /** The rest of the bytes stays for later, or for the next request. */
    TOOK_SOME,
    /** The buffer itself was passed on, and is not the caller's any more. */
    TOOK_ALL,
    MALFORMED
  }

  private final ChunkScanner chunks = new ChunkScanner();
  private final GatheredBody gathered = new GatheredBody();
  private boolean chunked;
  private boolean expectsContinue;
  private boolean complete = true;
  private long left;
  private long beganNs;
  private long passedBytes;

  void start(RequestHead head) {
    chunked = head.chunked();
    left = Math.max(0, head.contentLength());
    complete = !head.hasBody();
    expectsContinue = head.expectContinue();
    chunks.reset();
  }

  /** Starts measuring how fast the body comes. */
  void begin(long nowNs) {
    beganNs = nowNs;
    passedBytes = 0;
  }

  /** Whether all of it has been passed on. A request without a body is complete from the start. */
  boolean complete() {
    return complete;
  }

  /** Whether the client waits for a 100 before it sends. */
  boolean expectsContinue() {
    return expectsContinue;
  }

  /** Somebody has said 100. */
  void continued() {
    expectsContinue = false;
  }

  /**
   * Whether the client has sent so little in the time since {@link #begin} that the body is not
   * worth the wait. When it has sent enough, that time starts anew: a good beginning excuses
   * nothing.
   *
   * @param timeNs over which its speed is taken.
   */
  boolean tooSlow(long nowNs, long timeNs, int minBytesPerSecond) {
    long elapsedNs = nowNs - beganNs;
    if (elapsedNs <= timeNs) {
      return false;
    }
    boolean enough =
        passedBytes >= TimeUnit.NANOSECONDS.toMillis(elapsedNs) * minBytesPerSecond / 1_000;
    begin(nowNs);
    return !enough;
  }

  /**
   * Keeps what belongs to the body, for a connection that is still to be asked for.
   *
   * @param in may be null.
   */
  Progress gather(ByteBuf in, UnsafeBuffer window) {
    return forward(in, window, gathered);
  }

  /** Whether so much of it is there that a connection should be asked for. */
  boolean deservesConnection() {
    return complete || gathered.isEnough();
  }

  /** Passes on what was kept. */
  void passGathered(RequestSink upstream) {
    gathered.passTo(upstream);
  }

  /** Forgets what was kept. */
  void discard() {
    gathered.discard();
  }

  /**
   * Passes on what belongs to the body.
   *
   * @param in may be null.
   */
  Progress forward(ByteBuf in, UnsafeBuffer window, BodySink sink) {
    if (complete || in == null || !in.isReadable()) {
      return Progress.TOOK_SOME;
    }
    return chunked ? forwardChunks(in, window, sink) : forwardLength(in, sink);
  }

  private Progress forwardLength(ByteBuf in, BodySink sink) {
    int taken = (int) Math.min(left, in.readableBytes());
    left -= taken;
    passedBytes += taken;
    complete = left == 0;
    if (taken == in.readableBytes()) {
      sink.writeBody(in);
      return Progress.TOOK_ALL;
    }
    sink.writeBody(in.readRetainedSlice(taken));
    return Progress.TOOK_SOME;
  }

  private Progress forwardChunks(ByteBuf in, UnsafeBuffer window, BodySink sink) {
    Bytes.view(in, window);
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
      if (kind == ChunkScanner.OMIT) {
        pass(in, base, passFrom, at, sink);
        passFrom = end;
      }
      at = end;
    } while (kind != ChunkScanner.END);
    complete = kind == ChunkScanner.END;
    pass(in, base, passFrom, at, sink);
    in.skipBytes(at);
    return Progress.TOOK_SOME;
  }

  private void pass(ByteBuf in, int base, int from, int to, BodySink sink) {
    if (to > from) {
      passedBytes += to - from;
      sink.writeBody(in.retainedSlice(base + from, to - from));
    }
  }

  /**
   * Throws the body away, if all of it is there.
   *
   * @return whether the next request starts behind it; if not, where it starts cannot be waited
   *     for.
   */
  boolean skip(ByteBuf in) {
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
