package dev.weir.bench.load;

import java.util.Arrays;

/**
 * The open streams of a connection's client side. A stream's slot follows from its identifier;
 * while a slow stream is in the way of a new one, the new one takes a later identifier: RFC 9113,
 * section 5.1.1 lets a client leave some out. There are twice as many slots as streams, so that the
 * next free one is near. What is to be remembered of a stream its user keeps in arrays of that many
 * {@link #slots}.
 */
final class StreamTable {
  static final int NONE = -1;

  /** The identifier of a client's first stream. */
  static final int FIRST_ID = 1;

  private static final int FREE = 0;

  private final int[] ids;
  private int nextId;
  private int count;

  /**
   * @param maxStreams that may be open at once; from 1 to 2^20.
   * @param firstId is odd.
   */
  StreamTable(int maxStreams, int firstId) {
    ids = new int[Integer.highestOneBit(Math.max(1, maxStreams) * 2 - 1) * 2];
    nextId = firstId;
  }

  /** How many slots there are: a power of two. */
  int slots() {
    return ids.length;
  }

  int count() {
    return count;
  }

  /**
   * Opens the next stream; only while fewer than half of the slots are open, and ids are left.
   *
   * @return its slot.
   */
  int open() {
    int slot = slot(nextId);
    while (ids[slot] != FREE) {
      nextId += 2;
      slot = slot(nextId);
    }
    ids[slot] = nextId;
    nextId += 2;
    count++;
    return slot;
  }

  /** Whether all the identifiers that {@link #open} may need are still to be had. */
  boolean hasIds() {
    return nextId > 0 && nextId < Integer.MAX_VALUE - 2 * ids.length;
  }

  /** Where the stream is, or {@link #NONE} if it is not open. */
  int find(int id) {
    int slot = slot(id);
    return ids[slot] == id ? slot : NONE;
  }

  /** Whether no stream of ours had that identifier yet, or none can. */
  boolean isIdle(int id) {
    return (id & 1) == 0 || id >= nextId;
  }

  /** The open stream's identifier; 0 if none is open there. */
  int id(int slot) {
    return ids[slot];
  }

  void free(int slot) {
    ids[slot] = FREE;
    count--;
  }

  void clear() {
    Arrays.fill(ids, FREE);
    count = 0;
  }

  private int slot(int id) {
    return id >>> 1 & ids.length - 1;
  }
}
