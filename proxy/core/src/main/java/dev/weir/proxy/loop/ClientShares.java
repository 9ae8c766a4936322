package dev.weir.proxy.loop;

import java.util.HashMap;
import java.util.Map;

/**
 * Something scarce that the clients of one event loop share, in units of any kind. Used by that
 * loop only.
 *
 * <p>No client takes more than {@value #TIMES_FREE} times what it leaves free, so that something is
 * left for the next one. Of a few such clients each would leave a quarter of what the one before
 * has left, and soon that is nothing; nobody can be made to give anything back. So the last eighth
 * is for clients that have next to nothing: it takes 32 of them, or more, to use it up.
 *
 * <p>What is taken for many clients at once has no such share, and is bounded by the whole.
 */
public final class ClientShares {
  private static final int TIMES_FREE = 3;

  /** One part in so many is for clients that have no more than {@link #PARTS_OF_SMALL}. */
  private static final int PARTS_FOR_SMALL = 8;

  /** A client with one of this many parts, or with the least there is, has next to nothing. */
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
   * A client's share, which is the same one as long as it holds a unit.
   *
   * @param client equal for all that one client has; null if many clients may stand there.
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
   * Whether one client may take so many units more.
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

    /** The client whose share it is; null if many clients may stand there. */
    public Object client() {
      return client;
    }

    /** Takes so many units; false, and none is taken, if that is more than the client may have. */
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

    /** Gives back units that were taken. */
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
