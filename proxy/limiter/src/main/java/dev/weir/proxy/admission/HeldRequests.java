package dev.weir.proxy.admission;

import java.util.Arrays;

/**
 * The parked requests that have passed and wait for their slot in a queue: a binary heap by the
 * time of the slot. A request is entered under its parking place. Room grows with the places used,
 * and a request allocates nothing.
 *
 * <p>A withdrawn request leaves at once; otherwise clients that come and go could fill the heap.
 */
final class HeldRequests {
  private static final int ABSENT = -1;

  private long[] tickets = {};
  private long[] duesNs = {};
  private long[] remainings = {};
  private long[] resetsAtNs = {};

  /**
   * Places by index in the heap: the first slot at index 0, and none is earlier than that at half
   * its index.
   */
  private int[] heap = {};

  /** The index of each place in the heap. */
  private int[] indices = {};

  private int size;

  /** Makes room for a place that was not used before, and doubles the room. */
  private void makeRoom(int place) {
    int known = indices.length;
    int count = Math.max(place + 1, 2 * known);
    tickets = Arrays.copyOf(tickets, count);
    duesNs = Arrays.copyOf(duesNs, count);
    remainings = Arrays.copyOf(remainings, count);
    resetsAtNs = Arrays.copyOf(resetsAtNs, count);
    heap = Arrays.copyOf(heap, count);
    indices = Arrays.copyOf(indices, count);
    Arrays.fill(indices, known, count, ABSENT);
  }

  /**
   * Adds a request.
   *
   * @param remaining units left, for the response.
   * @param resetAtNs when the budget is full again.
   */
  void add(long ticket, long dueNs, long remaining, long resetAtNs) {
    int place = (int) ticket;
    if (place >= indices.length) {
      makeRoom(place);
    }
    tickets[place] = ticket;
    duesNs[place] = dueNs;
    remainings[place] = remaining;
    resetsAtNs[place] = resetAtNs;
    put(place, size++);
    rise(place);
  }

  /** Removes a request, if it is there. */
  void remove(long ticket) {
    if (!contains(ticket)) {
      return;
    }
    int place = (int) ticket;
    int index = indices[place];
    indices[place] = ABSENT;
    int last = heap[--size];
    if (last != place) {
      put(last, index);
      rise(last);
      sink(last);
    }
  }

  /** Whether a request is there. */
  boolean contains(long ticket) {
    int place = (int) ticket;
    return place < indices.length && indices[place] != ABSENT && tickets[place] == ticket;
  }

  int size() {
    return size;
  }

  /** The request with the earliest slot; there must be one. */
  long first() {
    return tickets[heap[0]];
  }

  /** The time of the earliest slot; there must be one. */
  long firstDueNs() {
    return duesNs[heap[0]];
  }

  /** The slot of a request, which must be there. */
  long dueNs(long ticket) {
    return duesNs[(int) ticket];
  }

  long remaining(long ticket) {
    return remainings[(int) ticket];
  }

  long resetAtNs(long ticket) {
    return resetsAtNs[(int) ticket];
  }

  private void put(int place, int index) {
    heap[index] = place;
    indices[place] = index;
  }

  private void rise(int place) {
    int index = indices[place];
    while (index > 0) {
      int parent = heap[(index - 1) / 2];
      if (duesNs[parent] <= duesNs[place]) {
        break;
      }
      int above = indices[parent];
      put(parent, index);
      index = above;
    }
    put(place, index);
  }

  private void sink(int place) {
    int index = indices[place];
    for (int child = 2 * index + 1; child < size; child = 2 * index + 1) {
      if (child + 1 < size && duesNs[heap[child + 1]] < duesNs[heap[child]]) {
        child++;
      }
      if (duesNs[place] <= duesNs[heap[child]]) {
        break;
      }
      put(heap[child], index);
      index = child;
    }
    put(place, index);
  }
}
