package dev.weir.proxy.admission.lease;

import java.util.Arrays;

/** The leases that one event loop was granted, until their ends. */
final class LeasesByEnd {
  private int[] hands = new int[16];
  private int[] places = new int[16];
  private long[] leases = new long[16];
  private int count;

  void add(int hand, int place, long lease) {
    if (count == hands.length) {
      hands = Arrays.copyOf(hands, 2 * count);
      places = Arrays.copyOf(places, 2 * count);
      leases = Arrays.copyOf(leases, 2 * count);
    }
    hands[count] = hand;
    places[count] = place;
    leases[count++] = lease;
  }

  /** Removes a lease; the last one takes its index. */
  void remove(int index) {
    count--;
    hands[index] = hands[count];
    places[index] = places[count];
    leases[index] = leases[count];
  }

  int count() {
    return count;
  }

  int hand(int index) {
    return hands[index];
  }

  int place(int index) {
    return places[index];
  }

  long lease(int index) {
    return leases[index];
  }
}
