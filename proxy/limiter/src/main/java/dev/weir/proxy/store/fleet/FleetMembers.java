package dev.weir.proxy.store.fleet;

import dev.weir.proxy.log.Incident;
import dev.weir.proxy.store.map.Partitions;
import dev.weir.proxy.store.map.StoreCalls;
import dev.weir.scripts.LuaScript;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the sidecars of a service that share the store, by a heartbeat of each in the store with a
 * digest of its rules, and warns if their rules differ for long. While the store is away the last
 * count is used.
 */
public final class FleetMembers {
  /** The partition that keeps the heartbeats. */
  public static final int PARTITION = 0;

  public static final long INTERVAL_MS = 2_000;

  /** The interval of who follows records, and what it is more for each sidecar of many. */
  private static final long FOLLOWING_MS = 500;

  private static final double FOLLOWING_MS_PER_SIDECAR = 0.5;

  /** A sidecar without a heartbeat for this many intervals does not count. */
  private static final int KEPT_INTERVALS = 3;

  private static final long KEPT_MS = KEPT_INTERVALS * INTERVAL_MS;

  /** The parts of a heartbeat's reply that count sidecars; others follow. */
  private static final int OF_COUNT = 3;

  private static final Logger LOG = LoggerFactory.getLogger(FleetMembers.class);
  private final StoreCalls calls;
  private final String service;
  private final byte[][] keys;
  private final PeerListener listener;
  private final Supplier<String> rulesDigest;
  private final RuleAgreement agreement = new RuleAgreement();

  /** Names this sidecar; those that started earlier sort before it, as far as clocks agree. */
  private final String id =
      String.format("%012x-%s", System.currentTimeMillis(), UUID.randomUUID());

  /** Follows records; null if none are followed. */
  private ChangeFeed feed;

  private volatile int count = 1;
  private int rank;

  /** What the store has answered, which need not have been taken yet. */
  private int answeredRank;

  private boolean isRankMissed;
  private long confirmedNs = System.nanoTime();

  /** The sidecars cannot be counted. */
  private final Incident uncounted =
      new Incident(
          LOG,
          "redis: counting the sidecars that share the store",
          "the last count stays",
          "counts again",
          Incident.Ends.BY_WORD);

  /**
   * @param service whose sidecars are counted; empty if it is not set.
   * @param rulesDigest the same for the same rules; empty if none of them uses the store.
   * @param listener is called for each changed count and rank, by the caller of {@link #beat}.
   */
  public FleetMembers(
      StoreCalls calls, String service, Supplier<String> rulesDigest, PeerListener listener) {
    this.calls = calls;
    this.service = service;
    this.keys = new byte[][] {key("peers", service), key("rules", service), key("order", service)};
    this.rulesDigest = rulesDigest;
    this.listener = listener;
  }

  /** Follows records by the heartbeats; before the first. */
  public void follow(ChangeFeed records) {
    feed = records;
  }

  /**
   * The milliseconds between two heartbeats. Who follows records asks more often, but all sidecars
   * together no more often than 2,000 times a second.
   */
  public long intervalMs() {
    return feed == null
        ? INTERVAL_MS
        : Math.max(FOLLOWING_MS, (long) (FOLLOWING_MS_PER_SIDECAR * count));
  }

  private static byte[] key(String name, String service) {
    String tag = new String(Partitions.tag(PARTITION), StandardCharsets.US_ASCII);
    String of = service.isEmpty() ? "" : ":" + service;
    return ascii("rl:" + tag + ":" + name + of);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** The last count, 1 or more. Any thread. */
  public int count() {
    return count;
  }

  /** Writes a heartbeat, and counts. */
  public void beat(SocketAddress server) {
    call(server, Math.max(KEPT_MS, KEPT_INTERVALS * intervalMs()));
  }

  /** Removes this sidecar from the count. */
  public void leave(SocketAddress server) {
    call(server, 0);
  }

  /**
   * Accepts a smaller count or rank only if it lasts, as a server that has just started knows of no
   * sidecar yet. A larger one counts at once.
   */
  void counted(int countNow, int rankNow, long nowNs) {
    boolean isLess = countNow < count || rankNow < rank;
    boolean lasts = nowNs - confirmedNs > TimeUnit.MILLISECONDS.toNanos(KEPT_MS);
    if (!isLess || lasts) {
      confirmedNs = nowNs;
    }
    int taken = lasts ? countNow : Math.max(countNow, count);
    int takenRank = lasts ? rankNow : Math.max(rankNow, rank);
    if (taken != count || takenRank != rank) {
      listener.counted(taken, takenRank);
      count = taken; // last: whoever reads it finds that shares are of that many
      rank = takenRank;
    }
  }

  /**
   * The rank. Without an answer each sidecar counts as the first, and so has one request at least.
   */
  private int rank(long answered, int sidecars) {
    if (answered < 0 && !isRankMissed) {
      isRankMissed = true;
      LOG.warn(
          "redis: this user may not zrange: limits that are smaller than the number of sidecars are"
              + " passed by each of them (expected: +zrange)");
    }
    return (int) Math.max(0, Math.min(answered, sidecars - 1));
  }

  private void call(SocketAddress server, long keptMs) {
    try {
      byte[][] asked = {
        ascii(id),
        ascii(Long.toString(keptMs)),
        ascii(rulesDigest.get()),
        ascii(Integer.toString(answeredRank))
      };
      List<Object> answer =
          feed == null
              ? calls.await(server, calls.script(server, LuaScript.BEAT, keys, asked))
              : calls.await(
                  server,
                  calls.script(
                      server,
                      LuaScript.BEAT,
                      concat(keys, feed.keys()),
                      concat(asked, feed.arguments(id, keptMs == 0))));
      int sidecars = (int) Math.max(1, number(answer, 0));
      answeredRank = rank(number(answer, 2), sidecars);
      counted(sidecars, answeredRank, System.nanoTime());
      if (agreement.counted(number(answer, 1), System.nanoTime())) {
        LOG.warn(
            "redis: sidecars{} have had rules of mode exact that differ for {} minutes: rules of"
                + " one id share budgets (expected: the same rules and hash key on all, or a"
                + " service: of its own for each service)",
            service.isEmpty() ? " without a service" : " of service " + service,
            TimeUnit.NANOSECONDS.toMinutes(RuleAgreement.LASTS_NS));
      }
      if (feed != null && keptMs > 0) {
        feed.answered(answer.subList(OF_COUNT, answer.size()));
      }
      uncounted.ended();
    } catch (IOException fault) {
      calls.drop(server);
      uncounted.noticed(fault.getMessage());
    }
  }

  private static long number(List<Object> answer, int at) {
    return (Long) answer.get(at);
  }

  private static byte[][] concat(byte[][] some, byte[][] more) {
    byte[][] all = Arrays.copyOf(some, some.length + more.length);
    System.arraycopy(more, 0, all, some.length, more.length);
    return all;
  }
}
