package dev.weir.proxy.http1;

import dev.weir.proxy.exchange.BodyForm;
import dev.weir.proxy.loop.ChannelIo;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Splits a chunked body into pieces to be forwarded: with its framing, or as content alone if the
 * other side has its own framing. One per connection; {@link #start} begins the next body.
 */
public final class ChunkedBody {
  /** Takes the pieces of a body in their order. */
  public interface Taker {
    /**
     * Takes over some of the body; it is empty only where it is the last.
     *
     * @param last whether it ends the body.
     */
    void piece(ByteBuf bytes, boolean last);

    /** Trailers end the body; the lines stay the caller's, for a {@link TrailerSection}. */
    void trailers(ByteBuf lines);
  }

  /** The result of reading bytes of a body. */
  public enum Progress {
    GOES_ON,
    ENDED,
    MALFORMED
  }

  private final ChunkScanner chunks = new ChunkScanner();

  /** The lines of trailers that go on in another form, until the body ends; null if none. */
  private ByteBuf trailers;

  /** Starts with a new body. */
  public void start() {
    chunks.reset();
    discard();
  }

  /**
   * Reads what there is of the body, and gives it to {@code taker} in as few pieces as it stands
   * in.
   *
   * @param window looks at the bytes meanwhile.
   * @param form in which it goes on.
   */
  public Progress read(ByteBuf in, UnsafeBuffer window, BodyForm form, Taker taker) {
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
      if (!passes(kind, form)) {
        if (at > passFrom) {
          taker.piece(in.retainedSlice(base + passFrom, at - passFrom), false);
        }
        passFrom = end;
        if (kind == ChunkScanner.TRAILER) {
          addTrailer(in, base + at, end - at);
        }
      }
      at = end;
    } while (kind != ChunkScanner.END);
    in.skipBytes(at);
    boolean ends = kind == ChunkScanner.END;
    if (ends && trailers != null) {
      giveTrailers(taker);
    } else if (at > passFrom) {
      taker.piece(in.retainedSlice(base + passFrom, at - passFrom), ends);
    } else if (ends) {
      taker.piece(Unpooled.EMPTY_BUFFER, true);
    }
    return ends ? Progress.ENDED : Progress.GOES_ON;
  }

  /** Whether a segment goes on where it stands. */
  private static boolean passes(int kind, BodyForm form) {
    return switch (form) {
      case AS_FRAMED -> kind != ChunkScanner.OMIT;
      case DATA -> kind == ChunkScanner.DATA;
    };
  }

  private void addTrailer(ByteBuf in, int start, int length) {
    if (trailers == null) {
      trailers = in.alloc().directBuffer(ChunkScanner.MAX_TRAILER_BYTES);
    }
    trailers.writeBytes(in, start, length);
  }

  private void giveTrailers(Taker taker) {
    ByteBuf lines = trailers;
    trailers = null;
    try {
      taker.trailers(lines);
    } finally {
      lines.release();
    }
  }

  /** Forgets what was kept: the connection is gone. */
  public void discard() {
    if (trailers != null) {
      trailers.release();
      trailers = null;
    }
  }
}
