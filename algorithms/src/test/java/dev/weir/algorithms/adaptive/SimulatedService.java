package dev.weir.algorithms.adaptive;

import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * A service of some workers with one queue, behind a limit of requests in flight, in virtual time.
 * Requests come at random times, whatever was answered before: an open loop.
 */
final class SimulatedService {
  static final long MS = 1_000_000;
  static final long SECOND = 1_000 * MS;

  /** The time that the work of a request takes. */
  interface Work {
    long ns(Random random, long nowNs);
  }

  /** Work that takes every request the same time. */
  static Work always(long ns) {
    return (random, now) -> ns;
  }

  /** Work whose times are exponentially distributed about a mean. */
  static Work about(long meanNs) {
    return (random, now) -> (long) (-Math.log(1 - random.nextDouble()) * meanNs);
  }

  private record Request(long arrivedNs, long endsNs) {}

  private final SimulatedLimit limit;
  private final Random random;
  private final ArrayDeque<Long> waiting = new ArrayDeque<>();
  private final PriorityQueue<Request> working =
      new PriorityQueue<>((a, b) -> Long.compare(a.endsNs, b.endsNs));

  int workers;
  Work work;

  /** Requests a second that clients send. */
  double rate;

  /** The length of the queue from which on the service answers 503 at once. */
  int queueLength = Integer.MAX_VALUE;

  /** The time after which an answer is too late. */
  long timeoutNs = Long.MAX_VALUE;

  long nowNs = SECOND;
  private long nextNs = nowNs;
  private int inFlight;

  // Figures of the last run.
  int passed;
  int refused;
  int dropped;
  int lowest;
  int highest;
  private double sumNs;

  SimulatedService(SimulatedLimit limit, int workers, Work work, double rate, long seed) {
    this.limit = limit;
    this.workers = workers;
    this.work = work;
    this.rate = rate;
    random = new Random(seed);
  }

  /** Lets time pass, and counts what happens in it. */
  SimulatedService run(double seconds) {
    passed = 0;
    refused = 0;
    dropped = 0;
    sumNs = 0;
    lowest = limit.limit();
    highest = lowest;
    long untilNs = nowNs + (long) (seconds * SECOND);
    nextNs = Math.max(nextNs, nowNs);
    while (true) {
      long arrivesNs = rate == 0 ? Long.MAX_VALUE : nextNs;
      long endsNs = working.isEmpty() ? Long.MAX_VALUE : working.peek().endsNs;
      if (Math.min(arrivesNs, endsNs) > untilNs) {
        nowNs = untilNs;
        return this;
      }
      if (endsNs <= arrivesNs) {
        nowNs = endsNs;
        Request ended = working.poll();
        begin();
        end(nowNs - ended.arrivedNs);
      } else {
        nowNs = arrivesNs;
        nextNs = nowNs + 1 + (long) (-Math.log(1 - random.nextDouble()) / rate * SECOND);
        arrive();
      }
      lowest = Math.min(lowest, limit.limit());
      highest = Math.max(highest, limit.limit());
    }
  }

  private void arrive() {
    if (inFlight >= limit.limit()) {
      refused++;
      return;
    }
    inFlight++;
    if (waiting.size() >= queueLength) {
      dropped++;
      limit.ended(MS, true, inFlight, nowNs);
      inFlight--;
      return;
    }
    waiting.add(nowNs);
    begin();
  }

  private void begin() {
    while (working.size() < workers && !waiting.isEmpty()) {
      working.add(new Request(waiting.poll(), nowNs + work.ns(random, nowNs)));
    }
  }

  private void end(long timeNs) {
    boolean isDropped = timeNs > timeoutNs;
    limit.ended(Math.min(timeNs, timeoutNs), isDropped, inFlight, nowNs);
    inFlight--;
    if (isDropped) {
      dropped++;
      return;
    }
    passed++;
    sumNs += timeNs;
  }

  /** The mean time of what passed. */
  double meanMs() {
    return sumNs / passed / MS;
  }

  @Override
  public String toString() {
    return String.format(
        "limit %d (%d to %d), passed %d, refused %d, dropped %d, mean %.1f ms",
        limit.limit(), lowest, highest, passed, refused, dropped, meanMs());
  }
}
