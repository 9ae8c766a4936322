package dev.weir.proxy.http2;

/**
 * The limit of frames in the output that answer the peer's own: acknowledgements, and resets. No
 * window bounds them, so a peer that sends what must be answered and reads nothing would fill us
 * with them.
 *
 * <p>While a connection is busy there always is something that the system has not taken yet. So
 * they are counted up to a place in all that is written, and behind it: once that place is sent,
 * those before it are forgotten, and what has been written by then ends at the next place.
 */
final class ControlFrameLimit {
  private static final int MOST = 1_000;

  private final Http2Output output;
  private long place;
  private int beforePlace;
  private int behindPlace;

  ControlFrameLimit(Http2Output output) {
    this.output = output;
  }

  /** One more has been written. */
  void add() {
    behindPlace++;
  }

  /** Whether too many may wait, now that what was written is the system's, or waits. */
  boolean areTooMany() {
    if (output.unsentBytes() == 0) {
      beforePlace = behindPlace = 0;
    } else if (output.sentBytes() >= place) {
      beforePlace = behindPlace;
      behindPlace = 0;
      place = output.writtenBytes();
    }
    return beforePlace + behindPlace > MOST;
  }
}
