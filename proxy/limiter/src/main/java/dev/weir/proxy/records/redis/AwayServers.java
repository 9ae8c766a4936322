package dev.weir.proxy.records.redis;

import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The servers that have not answered: each is not asked for a second, and then by one call, which
 * finds out whether it is back. Any thread.
 */
final class AwayServers {
  static final long AWAY_NS = TimeUnit.SECONDS.toNanos(1);

  private static final long ANSWERS = 0;

  /**
   * Until when each server that was asked is not asked again; {@link #ANSWERS} while it answers.
   */
  private final Map<SocketAddress, AtomicLong> untilNs = new ConcurrentHashMap<>();

  private final LongSupplier nowNs;

  /**
   * @param nowNs a clock that never says 0.
   */
  AwayServers(LongSupplier nowNs) {
    this.nowNs = nowNs;
  }

  private AtomicLong of(SocketAddress server) {
    return untilNs.computeIfAbsent(server, unknown -> new AtomicLong(ANSWERS));
  }

  /** Whether a server may be asked; who asks has to say how that ended. */
  boolean mayAsk(SocketAddress server) {
    AtomicLong until = of(server);
    long seen = until.get();
    long now = nowNs.getAsLong();
    return seen == ANSWERS || now - seen >= 0 && until.compareAndSet(seen, now + AWAY_NS);
  }

  void answered(SocketAddress server) {
    of(server).set(ANSWERS);
  }

  void notAnswered(SocketAddress server) {
    of(server).set(nowNs.getAsLong() + AWAY_NS);
  }
}
