package dev.weir.proxy.http1;

import dev.weir.proxy.request.Ascii;
import org.agrona.DirectBuffer;

/**
 * Says when a head that comes in pieces is worth scanning again: once it may be whole, once it
 * cannot be well formed, once its first line is there, and whenever there is twice as much of it as
 * at the last scan. Each byte is looked at once, and all the scans together look at five times the
 * bytes at most, so that a head that is sent byte by byte costs what it would cost in one piece.
 *
 * <p>One per connection. All offsets count from the start of the head.
 */
public final class HeadEnd {
  /** All before it has been looked at. 0 if the head has not been scanned yet. */
  private int seen;

  /** The index at which the last line that has begun starts. */
  private int lineStart;

  /** How long the head must be to be scanned again whatever it holds. */
  private int rescanLength;

  /** Starts a new head. */
  public void reset() {
    seen = 0;
    lineStart = 0;
    rescanLength = 0;
  }

  /**
   * Whether to scan the head that {@code bytes[0, length)} is the beginning of; true for one that
   * has not been scanned yet. Whoever is told so, scans, and finds it incomplete says so with
   * {@link #incomplete}.
   */
  public boolean isDue(DirectBuffer bytes, int length) {
    return length >= rescanLength || look(bytes, length);
  }

  /** The scan of {@code bytes[0, length)} has found that the head goes on. */
  public void incomplete(DirectBuffer bytes, int length) {
    while (seen < length && look(bytes, length)) {
      // What there is has been scanned: only what comes is of interest.
    }
    rescanLength = 2 * length;
  }

  /** Looks at what is new, up to the next thing that calls for a scan; false if there is none. */
  private boolean look(DirectBuffer bytes, int length) {
    while (true) {
      int at = Ascii.findControl(bytes, seen, length);
      if (at == length || at + 1 == length && bytes.getByte(at) == '\r') {
        seen = at; // a CR is looked at again with what follows it
        return false;
      }
      boolean endsLine = bytes.getByte(at) == '\r' && bytes.getByte(at + 1) == '\n';
      int start = lineStart;
      seen = endsLine ? at + 2 : at + 1;
      lineStart = seen;
      if (!endsLine || at == start || start == 0) {
        return true;
      }
    }
  }
}
