package dev.weir.algorithms.adaptive;

/**
 * How many requests a service should have in flight, by the times that it takes. After Gradient2 of
 * Netflix's <a href="https://github.com/Netflix/concurrency-limits">concurrency-limits</a>: the
 * samples of a window move the limit by a gradient, the normal time divided by that of the window,
 * and it gets some room to try more.
 *
 * <pre>
 * kept     = the part of requests that were not dropped
 * gradient = 1.5 x unloaded time / mean time of the window, at most 1, x kept; at least 0.5
 * limit    = 0.8 x limit + 0.2 x (gradient x limit + room)
 * room     = kept x square root of limit; 0 if the window took more than 1.5 x unloaded time
 * </pre>
 *
 * <p>The limit rises only after windows in which half of it or more was in use, and falls only
 * after those in which more than the minimum was. A window ends with a sample: after 10 or more,
 * and twice the mean time of the window before, from 100 ms to 1 s.
 *
 * <p>Four things differ from what Netflix published, each for what a simulation showed, which is a
 * test: {@code Gradient2Test}, and {@code AdaptiveComparisonTest} beside the original.
 *
 * <ul>
 *   <li><b>The unloaded time</b> is a moving mean of a minute, but not of all windows: under an
 *       overload that lasts, the overload would become normal, and the limit would rise to its
 *       maximum. It is the mean of windows that had at most the minimum in flight, as that is what
 *       the service always bears, and of those that used less than half of the limit and were at
 *       most a quarter slower than it. If times are still long at the minimum, requests in flight
 *       are not their reason. Then, after about a minute, they are the normal times, and the limit
 *       rises again.
 *   <li><b>A slow window gets no room.</b> With it, the limit would come to rest above the minimum,
 *       where it cannot learn that.
 *   <li><b>A time counts as at most three times the unloaded one</b>, the longest that the gradient
 *       can tell. So one outlier moves nothing.
 *   <li><b>The limit grows by a half with each window until the first slow one</b>, as TCP starts:
 *       a new process lets all pass within a second or two.
 * </ul>
 *
 * <p>One thread at a time: see {@link AdaptiveLimit}.
 */
final class Gradient2 {
  /** The part that a window has in the limit. */
  private static final double SMOOTHING = 0.2;

  /** How much longer than unloaded a window may take before the limit falls. */
  private static final double TOLERANCE = 1.5;

  /** The smallest gradient: it takes a tenth off the limit. */
  private static final double MIN_GRADIENT = 0.5;

  /**
   * How much longer than unloaded the times may be and count as unloaded, and before the limit
   * rises from the minimum.
   */
  private static final double NORMAL = 1.25;

  /** How many times the unloaded time a time counts at most. */
  static final double LONGEST = TOLERANCE / MIN_GRADIENT;

  /** The factor of each window until the first slow one. */
  private static final double START_GROWTH = 1.5;

  private static final long MIN_WINDOW_NS = 100_000_000L;
  private static final long MAX_WINDOW_NS = 1_000_000_000L;

  /** How many samples a window has at least, however long it takes. */
  private static final int MIN_SAMPLES = 10;

  /** The time whose mean the unloaded time is. */
  private static final double UNLOADED_MEAN_NS = 60e9;

  /** The part that a window has in the unloaded time at most, but for the first ones. */
  private static final double MAX_WEIGHT = 0.1;

  private final int min;
  private final int max;

  private double limit;
  private boolean isStarting = true;

  /** The mean of windows that count as unloaded; 0 while there was none. */
  private double unloadedNs;

  /** The time at which the first window began that counts as unloaded. */
  private long firstNs;

  // The present window.
  private long beganNs;
  private long windowNs = MIN_WINDOW_NS;
  private int answered;
  private int dropped;
  private double sumNs;
  private long peak;

  /** Starts at the minimum, as nothing is known of the service. */
  Gradient2(int min, int max) {
    this.min = min;
    this.max = max;
    limit = min;
  }

  /** Starts from what another one has found. */
  Gradient2(int min, int max, int limit, long unloadedNs) {
    this(min, max);
    this.limit = Math.max(min, Math.min(max, limit));
    this.unloadedNs = unloadedNs;
    isStarting = unloadedNs == 0;
  }

  /** Requests that may be in flight, from the minimum to the maximum. */
  int limit() {
    return (int) limit;
  }

  /** The time that the service takes without load; 0 while none is known. */
  long unloadedNs() {
    return (long) unloadedNs;
  }

  /**
   * Takes a request that the service has answered.
   *
   * @param timeNs how long that took, 0 or more.
   * @param inFlight requests in flight, with this one.
   * @return whether a window has ended, so that the limit may have moved.
   */
  boolean answered(long timeNs, long inFlight, long nowNs) {
    answered++;
    sumNs += unloadedNs == 0 ? timeNs : Math.min(timeNs, LONGEST * unloadedNs);
    return endsWindow(inFlight, nowNs);
  }

  /**
   * Takes a request that the service has dropped.
   *
   * @return whether a window has ended, so that the limit may have moved.
   */
  boolean dropped(long inFlight, long nowNs) {
    dropped++;
    return endsWindow(inFlight, nowNs);
  }

  private boolean endsWindow(long inFlight, long nowNs) {
    int samples = answered + dropped;
    if (samples == 1) {
      beganNs = nowNs;
      peak = 0;
    }
    peak = Math.max(peak, inFlight);
    if (samples < MIN_SAMPLES || nowNs - beganNs < windowNs) {
      return false;
    }
    double slowness = answered == 0 ? 1 : slowness(Math.max(1, sumNs / answered), nowNs);
    move(slowness, (double) answered / samples);
    answered = 0;
    dropped = 0;
    sumNs = 0;
    return true;
  }

  /** The mean time of the window that ends, as a multiple of the unloaded one, which learns it. */
  private double slowness(double meanNs, long nowNs) {
    boolean isFirst = unloadedNs == 0;
    firstNs = isFirst ? beganNs : firstNs;
    double slowness = isFirst ? 1 : meanNs / unloadedNs;
    if (isFirst || peak <= min || 2 * peak < limit && slowness <= NORMAL) {
      double lengthNs = nowNs - beganNs;
      double weight = Math.min(MAX_WEIGHT, lengthNs / UNLOADED_MEAN_NS);
      // All windows of the first minute weigh the same.
      unloadedNs += (meanNs - unloadedNs) * Math.max(weight, lengthNs / (nowNs - firstNs));
    }
    windowNs = (long) Math.max(MIN_WINDOW_NS, Math.min(MAX_WINDOW_NS, 2 * meanNs));
    return slowness;
  }

  private void move(double slowness, double keptPart) {
    double gradient = Math.max(MIN_GRADIENT, Math.min(1, TOLERANCE / slowness) * keptPart);
    isStarting &= gradient == 1;
    double room = slowness > TOLERANCE ? 0 : keptPart * Math.sqrt(limit);
    double next =
        isStarting
            ? START_GROWTH * limit
            : (1 - SMOOTHING) * limit + SMOOTHING * (gradient * limit + room);
    boolean mayRise = 2 * peak >= limit && (peak > min || slowness <= NORMAL);
    if (next > limit ? mayRise : peak > min) {
      limit = Math.max(min, Math.min(max, next));
    }
  }
}
