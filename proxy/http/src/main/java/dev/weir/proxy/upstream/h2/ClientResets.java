package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.request.ClientKey;
import java.util.concurrent.TimeUnit;
import org.agrona.BitUtil;
import org.agrona.collections.Hashing;

/**
 * Which clients of one event loop have had many streams reset towards the service. Each reset
 * counts for {@value #SECONDS_OF_ONE} s; more than {@value #MOST} at one time are many, until none
 * counts any more. One client's are no more than {@value #COUNTED} at one time.
 *
 * <p>Kept as the time when a client's last reset counts no more, for {@value #CLIENTS} clients at
 * most, each in one of a few places by its hash: whoever owes least makes room.
 */
final class ClientResets {
  /** The most resets that are not many. */
  static final int MOST = 20;

  /** The time for which each reset counts, one behind the other. */
  static final int SECONDS_OF_ONE = 5;

  private static final int COUNTED = 120;
  private static final int CLIENTS = 1024;
  private static final int PLACES = 4;
  private static final int SETS = CLIENTS / PLACES;

  private static final long ONE_NS = TimeUnit.SECONDS.toNanos(SECONDS_OF_ONE);

  private final long[] clients = new long[CLIENTS];
  private final long[] untilNs = new long[CLIENTS];
  private final boolean[] areMany = new boolean[CLIENTS];

  /** The time from which no reset counts any more. */
  private long lastNs;

  ClientResets() {
    assert BitUtil.isPowerOfTwo(SETS);
  }

  /**
   * A stream of a client has been reset.
   *
   * @param client a {@link ClientKey}; behind {@link ClientKey#NONE} there may be any number of
   *     clients, none of whom is known.
   */
  void count(long client, long nowNs) {
    count(client, 1, nowNs);
  }

  /** A client's stream has stopped those of others: the next ones are apart. */
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

  /** Whether a client has had many reset. */
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

  /** The place of a client, or of whoever owes least. */
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
