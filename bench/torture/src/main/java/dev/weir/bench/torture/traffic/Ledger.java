package dev.weir.bench.torture.traffic;

import dev.weir.bench.torture.judge.Served;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;

/** The requests that came to the service. Any thread may write and read. */
public final class Ledger {
  /** The most ends that are kept. */
  private static final int ENDS_MOST = 20;

  private final Map<Long, Served> served = new ConcurrentHashMap<>();
  private final Queue<String> ends = new ArrayBlockingQueue<>(ENDS_MOST);

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
          (before, now) -> new Served(before.firstNs(), before.count() + 1, before.untilNs()));
    }
  }

  /** The end of a request's answer is sent with what follows. */
  void answers(CharSequence number) {
    if (number != null) {
      served.computeIfPresent(
          Long.valueOf(number.toString()),
          (any, before) -> new Served(before.firstNs(), before.count(), System.nanoTime()));
    }
  }

  /** The service has ended a connection or stream for a fault that it saw. */
  void ended(String what, Throwable cause) {
    ends.offer(System.nanoTime() + " ns: the service ends " + what + ": " + cause);
  }

  /** The first ends for faults that the service saw, a line each. */
  public List<String> ends() {
    return List.copyOf(ends);
  }

  /** What came, by the numbers of requests. */
  public Map<Long, Served> served() {
    return Map.copyOf(served);
  }
}
