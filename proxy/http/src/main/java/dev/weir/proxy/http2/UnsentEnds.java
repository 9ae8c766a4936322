package dev.weir.proxy.http2;

/**
 * The streams that have ended behind a full output, until the peer can know of it. They count as
 * open: answers of a head alone are under no flow control, and who never reads would fill us with
 * them. A peer that opens a stream for each that it has seen end is never above its number.
 */
final class UnsentEnds {
  private final int capacity;

  /** The bytes that had been written at each end: a ring, the oldest first; made when used. */
  private long[] ends;

  private int first;
  private int count;

  /**
   * @param capacity how many may be open, of which these are a part.
   */
  UnsentEnds(int capacity) {
    this.capacity = capacity;
  }

  /** A stream has ended with the bytes written last. */
  void add(long writtenBytes) {
    if (ends == null) {
      ends = new long[capacity];
    }
    if (count < capacity) {
      ends[(first + count) % capacity] = writtenBytes;
      count++;
    }
  }

  /** The number of ends that the peer cannot know of. */
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

  /** The peer takes what it is sent. */
  void clear() {
    count = 0;
  }
}
