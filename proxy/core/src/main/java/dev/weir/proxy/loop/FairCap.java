package dev.weir.proxy.loop;

import dev.weir.proxy.request.ClientKey;
import org.agrona.collections.Long2LongCounterMap;

/**
 * A cap that no client fills alone: one may take three times what it leaves free, and the last
 * eighth is for those that have none yet, or next to none ({@link ClientShares#mayTake}). So one
 * client alone has three quarters, two have three sevenths each, and a newcomer finds a place.
 *
 * <p>What takes a place takes it until it has ended, wherever it goes on meanwhile; so a place
 * counts in the cap as long as it is taken, or may be.
 *
 * <p>Requests without a key share nothing, and are bounded by the cap alone.
 */
public final class FairCap {
  private int cap;
  private final Long2LongCounterMap takenByClient = new Long2LongCounterMap(0);
  private int takenCount;

  public FairCap(int cap) {
    this.cap = cap;
  }

  /**
   * Whether a client may take one more place.
   *
   * @param client a {@link ClientKey}.
   */
  public boolean hasRoom(long client) {
    long free = cap - takenCount;
    return client == ClientKey.NONE
        ? free > 0
        : ClientShares.mayTake(1, takenByClient.get(client), free, cap);
  }

  /** There are more places now, or less. */
  public void cap(int places) {
    cap = places;
  }

  public void take(long client) {
    takenCount++;
    if (client != ClientKey.NONE) {
      takenByClient.incrementAndGet(client);
    }
  }

  public void leave(long client) {
    takenCount--;
    if (client != ClientKey.NONE) {
      takenByClient.decrementAndGet(client);
    }
  }

  /** How many places are taken. */
  public int taken() {
    return takenCount;
  }

  /** Whether more than half of the places are taken. */
  public boolean isScarce() {
    return 2 * takenCount > cap;
  }
}
