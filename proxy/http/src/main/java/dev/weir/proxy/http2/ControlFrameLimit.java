package dev.weir.proxy.http2;

/**
 * Bounds the frames in the output that answer the peer's own: acknowledgements and resets. No
 * flow-control window bounds them, so a peer that sends frames which must be answered and reads
 * nothing would fill our memory.
 *
 * <p>A busy connection always has some unsent output. So frames are counted up to a position in all
 * that is written, and behind it: once that position is sent, the frames before it no longer count,
 * and the end of what has been written by then is the next position.
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

  /** Counts a frame that was written. */
  void add() {
    behindPlace++;
  }

  /** Whether too many are unsent. */
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
