package dev.weir.proxy.loop;

import java.util.HashMap;
import java.util.Map;

/**
 * Divides something scarce among the clients of one event loop, in units of any kind. Used by that
 * loop only.
 *
 * <p>No client takes more than {@value #TIMES_FREE} times what it leaves free, so that something is
 * left for the next. A few such clients would still use nearly all of it, each leaving a quarter of
 * what it found, and nothing can be taken back. So the last eighth is for clients with next to
 * nothing, of which it takes 32 or more to use it up.
 *
 * <p>Units of many unknown clients have no such share, and are bounded by the whole.
 */
public final class ClientShares {
  private static final int TIMES_FREE = 3;

  /** One part in so many is for clients with no more than {@link #PARTS_OF_SMALL}. */
  private static final int PARTS_FOR_SMALL = 8;

  /**
   * A client with at most one of this many parts, or with the least possible, has next to nothing.
   */
  private static final int PARTS_OF_SMALL = 256;

  private final long max;
  private final Map<Object, Share> shares = new HashMap<>();
  private final Share ofMany = new Share(null);
  private long taken;

  /**
   * @param max units that all clients may take together.
   */
  public ClientShares(long max) {
    this.max = max;
  }

  /**
   * A client's share, which is the same object as long as it holds a unit.
   *
   * @param client equal for all units of one client; null for many unknown clients.
   */
  public Share of(Object client) {
    return client == null ? ofMany : shares.computeIfAbsent(client, Share::new);
  }

  /** The units that all clients may take together. */
  public long max() {
    return max;
  }

  /** The units that are taken. */
  public long taken() {
    return taken;
  }

  /** How many clients have a share of their own. */
  int count() {
    return shares.size();
  }

  /**
   * Whether a client may take so many more units.
   *
   * @param held by it already.
   * @param free of all units.
   * @param max all units.
   */
  public static boolean mayTake(long units, long held, long free, long max) {
    return units <= free
        && (held == 0
            || held + units <= max / PARTS_OF_SMALL
            || held + units <= TIMES_FREE * free && free - units >= max / PARTS_FOR_SMALL);
  }

  /** The share of one client: what it holds, and may still take. */
  public final class Share {
    private final Object client;
    private long held;

    private Share(Object client) {
      this.client = client;
    }

    /** The client of the share; null for many unknown clients. */
    public Object client() {
      return client;
    }

    /** Takes units; false, and none is taken, if that is more than the client may have. */
    public boolean take(int units) {
      long free = max - taken;
      boolean may = client == null ? units <= free : mayTake(units, held, free, max);
      if (may) {
        held += units;
        taken += units;
      }
      forgetIfEmpty();
      return may;
    }

    /** Returns units that were taken. */
    public void give(int units) {
      held -= units;
      taken -= units;
      assert held >= 0 : client + " gives back " + -held + " units that it does not have";
      forgetIfEmpty();
    }

    private void forgetIfEmpty() {
      if (held == 0 && client != null) {
        shares.remove(client, this);
      }
    }
  }
}
