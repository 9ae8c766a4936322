package dev.weir.proxy.http2;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * The streams of one connection, in columns: a stream is the number of its slot, which is fixed.
 * Streams are found by identifier in an index. There are two slots at first; their number is
 * bounded by who opens streams.
 */
final class StreamSlots {
  static final int NONE = -1;

  // Flags of a stream.

  /** The peer has ended its side. */
  static final int REMOTE_ENDED = 1;

  /** We have ended our side, in the output. */
  static final int LOCAL_ENDED = 1 << 1;

  /** One side has reset it. */
  static final int RESET = 1 << 2;

  /** The user has released it: no event is passed on. */
  static final int RELEASED = 1 << 3;

  /** A final head has arrived: the next block is trailers. */
  static final int HEAD_RECEIVED = 1 << 4;

  /** The waiting content is the last, and ends the stream unless trailers do. */
  static final int END_WAITS = 1 << 5;

  /** The stream is in the ring of those that have content to send and a window. */
  static final int IN_RING = 1 << 6;

  /** The stream is checked when the turn ends. */
  static final int IN_TURN = 1 << 7;

  /** The head has given the content's length. */
  static final int LENGTH_KNOWN = 1 << 8;

  /** A head has been sent on it. */
  static final int HEAD_SENT = 1 << 9;

  /** A tunnel: each side ends by itself. */
  static final int TUNNEL = 1 << 10;

  /** The peer has waited for its window, which is to grow. */
  static final int RAN_DRY = 1 << 11;

  /**
   * We have reset it, and the peer may not have seen that: it is among the {@link UnseenResets}.
   */
  static final int RESET_UNSEEN = 1 << 12;

  /** The observer knows that the stream is closed, though it may keep its slot. */
  static final int CLOSED = 1 << 13;

  /** The stream was broken off because of the peer, and so does not end well. */
  static final int BROKEN_OFF = 1 << 14;

  private static final int FIRST_SLOTS = 2;

  /** Heap bytes of a slot: its columns, and two places in the index. */
  private static final int SLOT_BYTES = 136;

  private static final int FREE = 0;

  private int[] ids = new int[FIRST_SLOTS];
  private int[] index = new int[2 * FIRST_SLOTS];
  private int highestFree;
  private int firstFree = NONE;
  private int count;

  /**
   * The number of streams that are not at their first place in the index. Identifiers ascend, so
   * mostly none is; then removing one need not look at those behind it.
   */
  private int displacedCount;

  // Columns. A free slot's next is the next free one.
  int[] flags = new int[FIRST_SLOTS];
  int[] next = new int[FIRST_SLOTS];
  int[] sendWindow = new int[FIRST_SLOTS];
  int[] receiveWindow = new int[FIRST_SLOTS];
  int[] uncreditedBytes = new int[FIRST_SLOTS];
  int[] extraBytes = new int[FIRST_SLOTS];
  int[] heldBytes = new int[FIRST_SLOTS];
  int[] headBytes = new int[FIRST_SLOTS];
  long[] contentLeft = new long[FIRST_SLOTS];
  int[] unreadBytes = new int[FIRST_SLOTS];
  int[] readBytes = new int[FIRST_SLOTS];
  long[] unreadNs = new long[FIRST_SLOTS];
  long[] turnNs = new long[FIRST_SLOTS];
  long[] stalledNs = new long[FIRST_SLOTS];
  long[] paceNs = new long[FIRST_SLOTS];
  int[] paceBytes = new int[FIRST_SLOTS];
  long[] oldNs = new long[FIRST_SLOTS];
  long[] lateNs = new long[FIRST_SLOTS];
  long[] heldNs = new long[FIRST_SLOTS];
  ByteBuf[] waiting = new ByteBuf[FIRST_SLOTS];
  ByteBuf[] waitingTrailers = new ByteBuf[FIRST_SLOTS];
  StreamOwner[] owners = new StreamOwner[FIRST_SLOTS];

  StreamSlots() {
    Arrays.fill(index, NONE);
  }

  int count() {
    return count;
  }

  /** One more than the highest slot that was ever used. */
  int slots() {
    return highestFree;
  }

  /** Heap bytes of the slots. */
  int memoryBytes() {
    return ids.length * SLOT_BYTES;
  }

  /** Heap bytes by which the slots grow if one more stream is opened; mostly 0. */
  int growthBytes() {
    return firstFree != NONE || highestFree < ids.length ? 0 : memoryBytes();
  }

  /** The stream's identifier; 0 if the slot is free. */
  int id(int slot) {
    return ids[slot];
  }

  boolean has(int slot, int flag) {
    return (flags[slot] & flag) != 0;
  }

  /** Sets the length of a stream's content. */
  void expect(int slot, long bytes) {
    flags[slot] |= LENGTH_KNOWN;
    contentLeft[slot] = bytes;
  }

  /** Counts content, and returns whether it is neither more nor less than the head said. */
  boolean mayTake(int slot, int bytes, boolean last) {
    if (!has(slot, LENGTH_KNOWN)) {
      return true;
    }
    contentLeft[slot] -= bytes;
    return contentLeft[slot] >= 0 && !(last && contentLeft[slot] != 0);
  }

  /** Whether content is missing. */
  boolean isShort(int slot) {
    return has(slot, LENGTH_KNOWN) && contentLeft[slot] != 0;
  }

  /** Opens a stream with a new identifier, and returns its slot. */
  int open(int id, int sendWindowBytes, int receiveWindowBytes) {
    final int slot = take();
    ids[slot] = id;
    flags[slot] = 0;
    next[slot] = NONE;
    sendWindow[slot] = sendWindowBytes;
    receiveWindow[slot] = receiveWindowBytes;
    uncreditedBytes[slot] = 0;
    extraBytes[slot] = 0;
    heldBytes[slot] = 0;
    headBytes[slot] = 0;
    contentLeft[slot] = 0;
    unreadBytes[slot] = 0;
    put(slot);
    count++;
    return slot;
  }

  private int take() {
    if (firstFree != NONE) {
      final int slot = firstFree;
      firstFree = next[slot];
      return slot;
    }
    if (highestFree == ids.length) {
      grow();
    }
    return highestFree++;
  }

  /** The slot of the stream with an identifier; {@link #NONE} if there is none. */
  int find(int id) {
    for (int at = home(id); ; at = at + 1 & index.length - 1) {
      final int slot = index[at];
      if (slot == NONE || ids[slot] == id) {
        return slot;
      }
    }
  }

  /** Frees a slot, whose content was released before. */
  void free(int slot) {
    assert ids[slot] != FREE : "slot " + slot + " is free already";
    final int home = home(ids[slot]);
    int place = home;
    while (index[place] != slot) {
      place = place + 1 & index.length - 1;
    }
    if (place != home) {
      displacedCount--;
    }
    index[displacedCount == 0 ? place : lastGap(place)] = NONE;
    ids[slot] = FREE;
    owners[slot] = null;
    next[slot] = firstFree;
    firstFree = slot;
    count--;
  }

  /** Moves entries into a gap, so that a search never meets one. */
  private int lastGap(int gap) {
    int hole = gap;
    for (int at = hole + 1 & index.length - 1; index[at] != NONE; at = at + 1 & index.length - 1) {
      final int home = home(ids[index[at]]);
      if ((at - home & index.length - 1) >= (at - hole & index.length - 1)) {
        index[hole] = index[at];
        if (hole == home) {
          displacedCount--;
        }
        hole = at;
      }
    }
    return hole;
  }

  private int home(int id) {
    return id >>> 1 & index.length - 1;
  }

  private void put(int slot) {
    final int home = home(ids[slot]);
    int at = home;
    while (index[at] != NONE) {
      at = at + 1 & index.length - 1;
    }
    if (at != home) {
      displacedCount++;
    }
    index[at] = slot;
  }

  private void grow() {
    final int slots = 2 * ids.length;
    ids = Arrays.copyOf(ids, slots);
    flags = Arrays.copyOf(flags, slots);
    next = Arrays.copyOf(next, slots);
    sendWindow = Arrays.copyOf(sendWindow, slots);
    receiveWindow = Arrays.copyOf(receiveWindow, slots);
    uncreditedBytes = Arrays.copyOf(uncreditedBytes, slots);
    extraBytes = Arrays.copyOf(extraBytes, slots);
    heldBytes = Arrays.copyOf(heldBytes, slots);
    headBytes = Arrays.copyOf(headBytes, slots);
    contentLeft = Arrays.copyOf(contentLeft, slots);
    unreadBytes = Arrays.copyOf(unreadBytes, slots);
    readBytes = Arrays.copyOf(readBytes, slots);
    unreadNs = Arrays.copyOf(unreadNs, slots);
    turnNs = Arrays.copyOf(turnNs, slots);
    stalledNs = Arrays.copyOf(stalledNs, slots);
    paceNs = Arrays.copyOf(paceNs, slots);
    paceBytes = Arrays.copyOf(paceBytes, slots);
    oldNs = Arrays.copyOf(oldNs, slots);
    lateNs = Arrays.copyOf(lateNs, slots);
    heldNs = Arrays.copyOf(heldNs, slots);
    waiting = Arrays.copyOf(waiting, slots);
    waitingTrailers = Arrays.copyOf(waitingTrailers, slots);
    owners = Arrays.copyOf(owners, slots);
    index = new int[2 * slots];
    Arrays.fill(index, NONE);
    displacedCount = 0;
    for (int slot = 0; slot < highestFree; slot++) {
      put(slot);
    }
  }
}
