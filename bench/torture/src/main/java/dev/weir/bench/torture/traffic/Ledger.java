package dev.weir.bench.torture.traffic;

import dev.weir.bench.torture.judge.Served;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The requests that came to the service. Any thread may write and read. */
public final class Ledger {
  private final Map<Long, Served> served = new ConcurrentHashMap<>();

  /**
   * A request has come.
   *
   * @param number as the request's field says; null for one of a hostile client.
   */
  void note(CharSequence number) {
    if (number != null) {
      served.merge(
          Long.valueOf(number.toString()),
          new Served(System.nanoTime(), 1),
          (before, now) -> new Served(before.firstNs(), before.count() + 1));
    }
  }

  /** What came, by the numbers of requests. */
  public Map<Long, Served> served() {
    return Map.copyOf(served);
  }
}
