package dev.weir.algorithms.lease;

/**
 * The median of late of a store's round trips: a number that moves by a thirty-second towards each
 * one. It finds any median from any start within some hundred of them, keeps nothing, and one that
 * takes long moves it no more than any other. One thread.
 */
public final class RoundTrips {
  private static final int STEP_SHIFT = 5;

  private long medianNs;

  /** Takes note of one, in nanoseconds, 0 or more. */
  public void add(long ns) {
    if (medianNs == 0) {
      medianNs = ns;
      return;
    }
    long step = Math.max(1, medianNs >>> STEP_SHIFT);
    medianNs = ns > medianNs ? medianNs + step : Math.max(1, medianNs - step);
  }

  /** In nanoseconds; 0 while none is known. */
  public long medianNs() {
    return medianNs;
  }
}
