package dev.weir.algorithms.adaptive;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A number of requests that may be in flight to a service, which moves with the times that the
 * service takes. Those in flight are counted elsewhere. One per process, for all of its threads: a
 * number per thread would see a part of the requests, and that of a thread with few of them would
 * not move.
 *
 * <p>Each end of a request is a sample. The arithmetic ({@link Gradient2}) takes one at a time:
 * whoever ends a request claims it by CAS, and gives it back with a release. Who finds it claimed
 * leaves the sample out and goes on. So nobody waits, and no sum has two writers. The mean does not
 * suffer, as which samples are left out has nothing to do with their times.
 *
 * <pre>
 * field       writer           store                   load
 * claimed     any              CAS to true, release    by CAS only
 *                              of false by who has it
 * gradient    who has claimed  plain                   plain, by who has claimed
 * limit,      who has claimed  volatile, at the end    volatile, by any
 * unloadedNs                   of a window
 * </pre>
 */
public final class AdaptiveLimit {
  private final int min;
  private final int max;
  private final Gradient2 gradient;

  private final AtomicBoolean claimed = new AtomicBoolean();

  private volatile int limit;
  private volatile long unloadedNs;

  /**
   * Starts at the minimum.
   *
   * @param min what the service always bears, 1 or more: its times with so many in flight are those
   *     without load.
   * @param max {@code min} or more.
   */
  public AdaptiveLimit(int min, int max) {
    this(min, max, new Gradient2(min, max));
  }

  private AdaptiveLimit(int min, int max, Gradient2 gradient) {
    if (min < 1 || min > max) {
      throw new IllegalArgumentException(min + " to " + max + " (expected: 1 or more, ascending)");
    }
    this.min = min;
    this.max = max;
    this.gradient = gradient;
    limit = gradient.limit();
    unloadedNs = gradient.unloadedNs();
  }

  /** A number within other bounds that starts from what this one has found. */
  public AdaptiveLimit within(int otherMin, int otherMax) {
    return new AdaptiveLimit(
        otherMin, otherMax, new Gradient2(otherMin, otherMax, limit, unloadedNs));
  }

  public int min() {
    return min;
  }

  public int max() {
    return max;
  }

  /** Requests that may be in flight now, from the minimum to the maximum. Any thread. */
  public int limit() {
    return limit;
  }

  /** The time that the service takes without load; 0 while none is known. Any thread. */
  public long unloadedNs() {
    return unloadedNs;
  }

  /** The longest time that counts: what takes longer is as slow. 0 while none is known. */
  public long longestNs() {
    return (long) (Gradient2.LONGEST * unloadedNs);
  }

  /**
   * Takes a request that the service has answered. Any thread.
   *
   * @param timeNs how long the service took; 0 or more.
   * @param inFlight requests in flight, with this one.
   */
  public void answered(long timeNs, long inFlight, long nowNs) {
    if (claim()) {
      release(gradient.answered(timeNs, inFlight, nowNs));
    }
  }

  /**
   * Takes a request that the service has dropped: it said so, or did not answer in time. Any
   * thread.
   *
   * @param inFlight requests in flight, with this one.
   */
  public void dropped(long inFlight, long nowNs) {
    if (claim()) {
      release(gradient.dropped(inFlight, nowNs));
    }
  }

  private boolean claim() {
    return claimed.compareAndSet(false, true);
  }

  private void release(boolean mayHaveMoved) {
    if (mayHaveMoved) {
      unloadedNs = gradient.unloadedNs();
      limit = gradient.limit();
    }
    claimed.setRelease(false);
  }
}
