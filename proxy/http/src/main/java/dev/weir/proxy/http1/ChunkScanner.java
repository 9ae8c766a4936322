package dev.weir.proxy.http1;

import dev.weir.proxy.exchange.FieldPolicy;
import dev.weir.proxy.request.Ascii;
import org.agrona.DirectBuffer;

/**
 * Scans a chunked body (RFC 9112, section 7.1) as segments that can be forwarded unchanged or
 * dropped. Extensions are dropped, and so are trailer fields that would frame, route or
 * authenticate (RFC 9110, section 6.5.1).
 *
 * <p>A size line or trailer line is consumed completely or not at all, so at most {@link
 * #MAX_LINE_BYTES} stay unread. One per message; {@link #reset} starts the next.
 */
public final class ChunkScanner {
  /** The result if the next segment is incomplete; nothing is consumed. */
  public static final int INCOMPLETE = 0;

  /** Chunk data. */
  public static final int DATA = 1;

  /** Framing. */
  public static final int FRAMING = 2;

  /** Bytes to leave out. */
  public static final int OMIT = 3;

  /** The last bytes of the body; framing like the rest. */
  public static final int END = 4;

  /** Not the chunked coding. */
  public static final int MALFORMED = 5;

  /** The line of a trailer field that may be passed on as it is. */
  public static final int TRAILER = 6;

  /** The longest size line or trailer line, in bytes. */
  public static final int MAX_LINE_BYTES = 4096;

  /** All the trailer fields of one message, in bytes. */
  public static final int MAX_TRAILER_BYTES = 8192;

  /** 60 bits of length: no sum overflows. */
  private static final int MAX_SIZE_DIGITS = 15;

  private enum Expecting {
    SIZE,
    EXTENSION,
    SIZE_END,
    DATA,
    DATA_END,
    TRAILER,
    NOTHING
  }

  private final FieldLine trailer = new FieldLine();
  private Expecting expecting = Expecting.SIZE;
  private long chunkLeft;
  private int trailerBytes;
  private int segmentEnd;

  public void reset() {
    expecting = Expecting.SIZE;
    chunkLeft = 0;
    trailerBytes = 0;
  }

  /** The offset behind the segment that {@link #next} returned last. */
  public int segmentEnd() {
    return segmentEnd;
  }

  /**
   * Takes the segment that starts at {@code from}.
   *
   * @return {@link #INCOMPLETE}, {@link #DATA}, {@link #FRAMING}, {@link #TRAILER}, {@link #OMIT},
   *     {@link #END} or {@link #MALFORMED}.
   */
  public int next(DirectBuffer bytes, int from, int limit) {
    if (from >= limit) {
      return INCOMPLETE;
    }
    return switch (expecting) {
      case SIZE -> size(bytes, from, limit);
      case EXTENSION -> extension(bytes, from, limit);
      case SIZE_END -> {
        expecting = chunkLeft == 0 ? Expecting.TRAILER : Expecting.DATA;
        yield segment(FRAMING, from + 2); // size() has seen the CRLF
      }
      case DATA -> {
        int taken = (int) Math.min(chunkLeft, limit - from);
        chunkLeft -= taken;
        if (chunkLeft == 0) {
          expecting = Expecting.DATA_END;
        }
        yield segment(DATA, from + taken);
      }
      case DATA_END -> {
        int end = Grammar.endOfLine(bytes, from, limit);
        if (end > 0) {
          expecting = Expecting.SIZE;
        }
        yield line(FRAMING, end);
      }
      case TRAILER -> trailer(bytes, from, limit);
      case NOTHING -> MALFORMED;
    };
  }

  private int size(DirectBuffer bytes, int from, int limit) {
    int i = from;
    long size = 0;
    while (i < limit) {
      int digit = Ascii.hexDigit(bytes.getByte(i));
      if (digit < 0) {
        break;
      }
      if (i - from == MAX_SIZE_DIGITS) {
        return MALFORMED;
      }
      size = size << 4 | digit;
      i++;
    }
    if (i == limit) {
      return INCOMPLETE;
    }
    boolean extended = bytes.getByte(i) == ';';
    if (i == from || !extended && bytes.getByte(i) != '\r') {
      return MALFORMED;
    }
    int control = Ascii.findControl(bytes, i, limit);
    if (control - from > MAX_LINE_BYTES) {
      return MALFORMED;
    }
    if (control == limit) {
      return INCOMPLETE;
    }
    int end = Grammar.endOfLine(bytes, control, limit);
    if (end < 0) {
      return line(FRAMING, end);
    }
    chunkLeft = size;
    if (extended) {
      expecting = Expecting.EXTENSION;
      return segment(FRAMING, i);
    }
    expecting = size == 0 ? Expecting.TRAILER : Expecting.DATA;
    return segment(FRAMING, end);
  }

  private int extension(DirectBuffer bytes, int from, int limit) {
    expecting = Expecting.SIZE_END;
    return segment(OMIT, Ascii.findControl(bytes, from, limit)); // size() has seen the line's end
  }

  private int trailer(DirectBuffer bytes, int from, int limit) {
    if (bytes.getByte(from) == '\r') {
      int end = Grammar.endOfLine(bytes, from, limit);
      if (end > 0) {
        expecting = Expecting.NOTHING;
      }
      return line(END, end);
    }
    int end = trailer.scan(bytes, from, limit);
    int length = (end > 0 ? end : limit) - from;
    if (length > MAX_LINE_BYTES || trailerBytes + length > MAX_TRAILER_BYTES) {
      return MALFORMED;
    }
    if (end > 0) {
      trailerBytes += length;
    }
    boolean allowed = end > 0 && FieldPolicy.mayTrail(bytes, from, trailer.nameLength());
    return line(allowed ? TRAILER : OMIT, end);
  }

  private int line(int kind, int end) {
    return switch (end) {
      case FieldLine.INCOMPLETE -> INCOMPLETE;
      case FieldLine.MALFORMED -> MALFORMED;
      default -> segment(kind, end);
    };
  }

  private int segment(int kind, int end) {
    segmentEnd = end;
    return kind;
  }
}
