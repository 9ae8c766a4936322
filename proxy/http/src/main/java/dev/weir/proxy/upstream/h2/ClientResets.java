package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.request.ClientKey;
import java.util.concurrent.TimeUnit;
import org.agrona.BitUtil;
import org.agrona.collections.Hashing;

/**
 * Finds clients of one event loop that have many streams reset at the service. Each reset counts
 * for {@value #SECONDS_OF_ONE} s; a client with more than {@value #MOST} at one time counts as one
 * with many, until none counts any more. At most {@value #COUNTED} count for a client at one time.
 *
 * <p>For each of at most {@value #CLIENTS} clients it keeps when the last reset stops counting;
 * each has a few possible places by its hash, and replaces the one with the fewest.
 */
final class ClientResets {
  /** The most resets that are not many. */
  static final int MOST = 20;

  /** The time for which each reset counts, one after the other. */
  static final int SECONDS_OF_ONE = 5;

  private static final int COUNTED = 120;
  private static final int CLIENTS = 1024;
  private static final int PLACES = 4;
  private static final int SETS = CLIENTS / PLACES;

  private static final long ONE_NS = TimeUnit.SECONDS.toNanos(SECONDS_OF_ONE);

  private final long[] clients = new long[CLIENTS];
  private final long[] untilNs = new long[CLIENTS];
  private final boolean[] areMany = new boolean[CLIENTS];

  /** When no reset counts any more. */
  private long lastNs;

  ClientResets() {
    assert BitUtil.isPowerOfTwo(SETS);
  }

  /**
   * Counts a reset of a client's stream.
   *
   * @param client a {@link ClientKey}; {@link ClientKey#NONE} stands for any number of clients, and
   *     is not counted.
   */
  void count(long client, long nowNs) {
    count(client, 1, nowNs);
  }

  /**
   * Separates a client whose stream has blocked those of others: its next streams use separate
   * connections.
   */
  void sendApart(long client, long nowNs) {
    count(client, MOST + 1, nowNs);
  }

  private void count(long client, int resets, long nowNs) {
    if (client == ClientKey.NONE) {
      return;
    }
    final int at = placeOf(client, nowNs);
    final long since = Math.max(untilNs[at], nowNs);
    untilNs[at] = Math.min(since + resets * ONE_NS, nowNs + COUNTED * ONE_NS);
    areMany[at] |= untilNs[at] - nowNs > MOST * ONE_NS;
    lastNs = Math.max(lastNs, untilNs[at]);
  }

  /** Whether a client counts as one with many resets. */
  boolean areMany(long client, long nowNs) {
    if (lastNs <= nowNs || client == ClientKey.NONE) {
      return false;
    }
    final int first = firstPlace(client);
    for (int at = first; at < first + PLACES; at++) {
      if (clients[at] == client) {
        return areMany[at] && untilNs[at] > nowNs;
      }
    }
    return false;
  }

  /** The place of a client, or the one with the fewest resets. */
  private int placeOf(long client, long nowNs) {
    final int first = firstPlace(client);
    int least = first;
    for (int at = first; at < first + PLACES; at++) {
      if (clients[at] == client) {
        if (untilNs[at] <= nowNs) {
          areMany[at] = false;
        }
        return at;
      }
      if (untilNs[at] < untilNs[least]) {
        least = at;
      }
    }
    clients[least] = client;
    untilNs[least] = nowNs;
    areMany[least] = false;
    return least;
  }

  private static int firstPlace(long client) {
    return Hashing.hash(client, SETS - 1) * PLACES;
  }
}
