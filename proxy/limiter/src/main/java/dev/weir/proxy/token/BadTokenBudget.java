package dev.weir.proxy.token;

import dev.weir.proxy.request.ClientKey;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the time that an event loop spends on tokens that turn out to be bad: an eighth of all
 * time, and a 64th for one client, each with a burst. Anybody can invent such tokens, each another,
 * and a signature takes a hundred microseconds to verify. A token that is good costs nothing here,
 * as only its issuer can make it.
 *
 * <p>Both are paced as GCRA paces: what was spent is owed until it has been sat out. The last half
 * of the loop's burst is for clients without a bad token in the last ten seconds. So clients that
 * each keep to their own part never shut those out, however much they ask for together: that takes
 * hundreds of addresses.
 *
 * <p>One per event loop; allocates nothing.
 */
final class BadTokenBudget {
  /** An event loop spends one part in so many of its time. */
  private static final int LOOP_PARTS = 8;

  /** One client has one part in so many. */
  private static final int CLIENT_PARTS = 64;

  /** The time that may be spent at once, before it has to be sat out. */
  static final long LOOP_BURST_NS = TimeUnit.MILLISECONDS.toNanos(100);

  static final long CLIENT_BURST_NS = TimeUnit.MILLISECONDS.toNanos(10);

  /** The time that one token may take: each try is far less, unless the thread had to wait. */
  static final long MOST_NS = TimeUnit.MILLISECONDS.toNanos(JoseVerifier.MOST_TRIES);

  /** How long a client without a bad token is one that has sent none. */
  private static final long CLEAN_NS = TimeUnit.SECONDS.toNanos(10);

  /** Clients are told apart by a hash: those with the same one share. */
  private static final int CLIENTS = 4096;

  private long loopOwedUntilNs;
  private final long[] owedUntilNs = new long[CLIENTS];
  private final long[] uncleanUntilNs = new long[CLIENTS];

  /**
   * Whether a token that nobody knows yet may be verified.
   *
   * @param client or {@link ClientKey#NONE}.
   * @param nowNs 1 or more, and never running backwards, whatever happens to the time of day.
   */
  boolean allows(long client, long nowNs) {
    long loopOwesNs = loopOwedUntilNs - nowNs;
    if (client == ClientKey.NONE) {
      return loopOwesNs < LOOP_BURST_NS / 2 * LOOP_PARTS;
    }
    int place = place(client);
    boolean isClean = uncleanUntilNs[place] <= nowNs;
    return loopOwesNs < (isClean ? LOOP_BURST_NS : LOOP_BURST_NS / 2) * LOOP_PARTS
        && owedUntilNs[place] - nowNs < CLIENT_BURST_NS * CLIENT_PARTS;
  }

  /** Spends the time that a bad token took, of which a pause of the machine is none. */
  void spend(long client, long elapsedNs, long nowNs) {
    long tookNs = Math.min(elapsedNs, MOST_NS);
    loopOwedUntilNs = Math.max(loopOwedUntilNs, nowNs) + tookNs * LOOP_PARTS;
    if (client != ClientKey.NONE) {
      int place = place(client);
      owedUntilNs[place] = Math.max(owedUntilNs[place], nowNs) + tookNs * CLIENT_PARTS;
      uncleanUntilNs[place] = nowNs + CLEAN_NS;
    }
  }

  private static int place(long client) {
    return (int) (client * 0x9e3779b97f4a7c15L >>> 52);
  }
}
