package dev.weir.proxy.loop;

import dev.weir.proxy.request.ClientKey;
import org.agrona.collections.Long2LongCounterMap;

/**
 * A cap that no client fills alone: a client may take three times what it leaves free, and the last
 * eighth is for clients with next to nothing ({@link ClientShares#mayTake}). So one client alone
 * has three quarters, two have three sevenths each, and a new one finds a place.
 *
 * <p>A place is taken until its user has ended, wherever that continues meanwhile.
 *
 * <p>Requests without a {@link ClientKey} are bounded by the cap alone.
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

  /** Changes the number of places. */
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

  /** The number of places that are taken. */
  public int taken() {
    return takenCount;
  }

  /** Whether more than half of the places are taken. */
  public boolean isScarce() {
    return 2 * takenCount > cap;
  }
}
