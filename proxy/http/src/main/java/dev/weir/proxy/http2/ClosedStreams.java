package dev.weir.proxy.http2;

import java.util.Arrays;

/**
 * The ends of the last streams that one side of a connection opened. What still comes for a stream
 * that we reset was sent before the peer knew, and is no fault; what comes for one that the peer
 * ended is. A bit for each of the last {@value #REMEMBERED} identifiers and question: a client that
 * has a hundred requests refused, and their bodies on the way, has done nothing wrong.
 */
final class ClosedStreams {
  /** The number of identifiers that are remembered, from the last one back. */
  static final int REMEMBERED = 512;

  private static final int WORDS = REMEMBERED / Long.SIZE;

  private final long[] opened = new long[WORDS];
  private final long[] resetByUs = new long[WORDS];

  /** The highest identifier that was opened, as a number from 1 on; 0 before the first. */
  private int highest;

  private int count;

  /** The highest identifier that was opened; 0 before the first. */
  int highestId() {
    return Math.max(0, 2 * highest - 1);
  }

  /** The number of streams that were opened. */
  int count() {
    return count;
  }

  private static int number(int id) {
    return id + 1 >>> 1;
  }

  /** A stream has been opened, with a higher identifier than all before. */
  void open(int id) {
    final int number = number(id);
    if (number - highest >= REMEMBERED) {
      Arrays.fill(opened, 0);
      Arrays.fill(resetByUs, 0);
    } else {
      for (int skipped = highest + 1; skipped < number; skipped++) {
        opened[word(skipped)] &= ~bit(skipped);
      }
    }
    highest = number;
    count++;
    opened[word(number)] |= bit(number);
    resetByUs[word(number)] &= ~bit(number);
  }

  /** We have reset a stream. */
  void reset(int id) {
    if (isRemembered(id)) {
      resetByUs[word(number(id))] |= bit(number(id));
    }
  }

  /** Whether a stream of that identifier can still be opened. */
  boolean isIdle(int id) {
    return number(id) > highest;
  }

  /** Whether it is known how a stream ended that is not idle. */
  boolean isRemembered(int id) {
    return number(id) > highest - REMEMBERED;
  }

  /** Whether a stream that is remembered was ever open: peers may leave identifiers out. */
  boolean wasOpen(int id) {
    return (opened[word(number(id))] & bit(number(id))) != 0;
  }

  /** Whether we have reset a stream that is remembered. */
  boolean wasReset(int id) {
    return (resetByUs[word(number(id))] & bit(number(id))) != 0;
  }

  private static int word(int number) {
    return (number & REMEMBERED - 1) / Long.SIZE;
  }

  private static long bit(int number) {
    return 1L << number;
  }
}
