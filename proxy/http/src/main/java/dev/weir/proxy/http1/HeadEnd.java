package dev.weir.proxy.http1;

import dev.weir.proxy.request.Ascii;
import org.agrona.DirectBuffer;

/**
 * Decides when a head that arrives in pieces is scanned again: when it may be complete, when it
 * must be malformed, when its first line is complete, and whenever it is twice as long as at the
 * last scan. Each byte is looked at once, and all scans together read at most five times the head's
 * bytes, so a head that is sent byte by byte costs hardly more than one in a single piece.
 *
 * <p>One per connection. All offsets count from the start of the head.
 */
public final class HeadEnd {
  /** The bytes before this index have been looked at. 0 if the head has not been scanned yet. */
  private int seen;

  /** The start of the last line that has begun. */
  private int lineStart;

  /** The length at which the head is scanned again in any case. */
  private int rescanLength;

  /** Starts a new head. */
  public void reset() {
    seen = 0;
    lineStart = 0;
    rescanLength = 0;
  }

  /**
   * Whether to scan the beginning of a head in {@code bytes[0, length)}; true before the first
   * scan. After a scan that finds it incomplete, call {@link #incomplete}.
   */
  public boolean isDue(DirectBuffer bytes, int length) {
    return length >= rescanLength || look(bytes, length);
  }

  /** Records that the head in {@code bytes[0, length)} is incomplete. */
  public void incomplete(DirectBuffer bytes, int length) {
    while (seen < length && look(bytes, length)) {
      // What there is has been scanned: only what comes is of interest.
    }
    rescanLength = 2 * length;
  }

  /** Looks at new bytes up to the next reason for a scan; false if there is none. */
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
