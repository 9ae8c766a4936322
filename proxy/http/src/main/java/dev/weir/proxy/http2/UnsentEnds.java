package dev.weir.proxy.http2;

/**
 * The streams whose end is in the output and has not been sent. They count as open: flow control
 * does not bound responses that are only a head, so a peer that never reads could fill our memory.
 * A peer that opens a stream only for each end that it has seen never exceeds its number.
 */
final class UnsentEnds {
  private final int capacity;

  /**
   * The positions of the ends in all that was written: a ring, the oldest first; made when needed.
   */
  private long[] ends;

  private int first;
  private int count;

  /**
   * @param capacity streams that may be open, these included.
   */
  UnsentEnds(int capacity) {
    this.capacity = capacity;
  }

  /** Adds an end at the present position of the output. */
  void add(long writtenBytes) {
    if (ends == null) {
      ends = new long[capacity];
    }
    if (count < capacity) {
      ends[(first + count) % capacity] = writtenBytes;
      count++;
    }
  }

  /** The number of ends that were not sent. */
  int count(Http2Output output) {
    if (count > 0) {
      final long sentBytes = output.sentBytes();
      while (count > 0 && ends[first] <= sentBytes) {
        first = (first + 1) % capacity;
        count--;
      }
    }
    return count;
  }

  /** The output has been sent. */
  void clear() {
    count = 0;
  }
}
