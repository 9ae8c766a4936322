package dev.weir.proxy.token;

import dev.weir.proxy.request.ClientKey;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the time that an event loop spends on tokens that turn out to be bad: an eighth of all
 * time, and a 64th for one client, each with a burst. Anybody can invent such tokens, each another,
 * and a signature takes a hundred microseconds to verify. A token that is good costs nothing here,
 * as only its issuer can make it.
 *
 * <p>Both are paced as GCRA paces: what was spent is owed until it has been sat out. One per event
 * loop; allocates nothing.
 */
final class BadTokenBudget {
  /** An event loop spends one part in so many of its time. */
  private static final int LOOP_PARTS = 8;

  /** One client has one part in so many. */
  private static final int CLIENT_PARTS = 64;

  /** What may be spent at once, before it has to be sat out. */
  static final long LOOP_BURST_NS = TimeUnit.MILLISECONDS.toNanos(100);

  static final long CLIENT_BURST_NS = TimeUnit.MILLISECONDS.toNanos(10);

  /** What one token may take: it is far less, unless the thread had to wait. */
  static final long MOST_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Clients are told apart by a hash: those with the same one share. */
  private static final int CLIENTS = 1024;

  private long loopOwedUntilNs;
  private final long[] owedUntilNs = new long[CLIENTS];

  /**
   * Whether a token that nobody knows yet may be verified.
   *
   * @param client or {@link ClientKey#NONE}.
   */
  boolean allows(long client, long nowNs) {
    return loopOwedUntilNs - nowNs < LOOP_BURST_NS * LOOP_PARTS
        && (client == ClientKey.NONE
            || owedUntilNs[place(client)] - nowNs < CLIENT_BURST_NS * CLIENT_PARTS);
  }

  /** Spends the time that a bad token took, of which a pause of the machine is none. */
  void spend(long client, long elapsedNs, long nowNs) {
    long tookNs = Math.min(elapsedNs, MOST_NS);
    loopOwedUntilNs = Math.max(loopOwedUntilNs, nowNs) + tookNs * LOOP_PARTS;
    if (client != ClientKey.NONE) {
      int place = place(client);
      owedUntilNs[place] = Math.max(owedUntilNs[place], nowNs) + tookNs * CLIENT_PARTS;
    }
  }

  private static int place(long client) {
    return (int) (client * 0x9e3779b97f4a7c15L >>> 54);
  }
}
