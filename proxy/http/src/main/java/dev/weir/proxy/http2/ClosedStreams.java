package dev.weir.proxy.http2;

import java.util.Arrays;

/**
 * How the last streams that one side of a connection opened have ended. Frames on a stream that we
 * reset may have been sent before the peer knew, and are no error; frames on a stream that the peer
 * ended are. Two bits for each of the last {@value #REMEMBERED} identifiers: a client that has a
 * hundred requests refused while their bodies are on the way has done nothing wrong.
 */
final class ClosedStreams {
  /** The number of identifiers that are remembered, up to the highest one. */
  static final int REMEMBERED = 512;

  private static final int WORDS = REMEMBERED / Long.SIZE;

  private final long[] opened = new long[WORDS];
  private final long[] resetByUs = new long[WORDS];

  /** The number of the highest opened stream, from 1; 0 before the first. */
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

  /** Records a new stream, whose identifier is higher than all before. */
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

  /** Records that we have reset a stream. */
  void reset(int id) {
    if (isRemembered(id)) {
      resetByUs[word(number(id))] |= bit(number(id));
    }
  }

  /** Whether a stream of that identifier can still be opened. */
  boolean isIdle(int id) {
    return number(id) > highest;
  }

  /** Whether the end of a stream that is not idle is remembered. */
  boolean isRemembered(int id) {
    return number(id) > highest - REMEMBERED;
  }

  /** Whether a remembered stream was ever open, as peers may skip identifiers. */
  boolean wasOpen(int id) {
    return (opened[word(number(id))] & bit(number(id))) != 0;
  }

  /** Whether we have reset a remembered stream. */
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
