package dev.weir.bench.load;

import java.util.Arrays;

/**
 * The open streams of a client's HTTP/2 connection. A stream's slot follows from its identifier;
 * while a slow stream is in the way of a new one, the new one takes a later identifier: RFC 9113,
 * section 5.1.1 lets a client leave some out. There are twice as many slots as streams, so that the
 * next free one is near.
 */
final class StreamTable {
  static final int NONE = -1;
  static final int FIRST_ID = 1;

  private static final int FREE = 0;

  final long[] dueNs;
  final long[] startedNs;

  /** The final answer's; 0 before it. */
  final int[] status;

  /** Content received and not yet given back to the peer's window. */
  final int[] receivedBytes;

  /** What of {@link #body} was sent. */
  final int[] sentBytes;

  /** What the peer takes; may be negative after it changed its settings. */
  final int[] sendWindow;

  /** The content of the request; null once all of it is sent. */
  final byte[][] body;

  private final int[] ids;
  private int nextId;
  private int count;

  StreamTable(int maxStreams, int firstId) {
    int slots = Integer.highestOneBit(Math.max(1, maxStreams) * 2 - 1) * 2;
    ids = new int[slots];
    dueNs = new long[slots];
    startedNs = new long[slots];
    status = new int[slots];
    receivedBytes = new int[slots];
    sentBytes = new int[slots];
    sendWindow = new int[slots];
    body = new byte[slots][];
    nextId = firstId;
  }

  int slots() {
    return ids.length;
  }

  int count() {
    return count;
  }

  /** Opens the next stream; only while fewer than half of the slots are open, and ids are left. */
  int open(long due, long started) {
    int slot = slot(nextId);
    while (ids[slot] != FREE) {
      nextId += 2;
      slot = slot(nextId);
    }
    ids[slot] = nextId;
    nextId += 2;
    count++;
    dueNs[slot] = due;
    startedNs[slot] = started;
    status[slot] = 0;
    receivedBytes[slot] = 0;
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
    body[slot] = null;
    count--;
  }

  void clear() {
    Arrays.fill(ids, FREE);
    Arrays.fill(body, null);
    count = 0;
  }

  private int slot(int id) {
    return id >>> 1 & ids.length - 1;
  }
}
