package dev.weir.bench.accuracy;

/**
 * A meter's belief of every request offered, beside the truth: a request is over the limit if the
 * window that ends with it holds more than the limit. Nothing is refused, so a wrong belief changes
 * no later one. One thread.
 */
final class MeterTally {
  private static final int SKIPPED_WINDOWS = 2;

  private final int limit;
  private int requests;
  private int wronglyAllowed;
  private int wronglyRefused;
  private double differenceSum;
  private double signedSum;

  MeterTally(int limit) {
    this.limit = limit;
  }

  /**
   * @param believed the count by the meter, this request in it.
   * @param real the count of the window that ends now, this request in it: 1 or more.
   */
  void add(double believed, int real) {
    requests++;
    if (believed <= limit && real > limit) {
      wronglyAllowed++;
    } else if (believed > limit && real <= limit) {
      wronglyRefused++;
    }
    differenceSum += Math.abs(believed - real) / real;
    signedSum += (believed - real) / real;
  }

  int requests() {
    return requests;
  }

  int wronglyAllowed() {
    return wronglyAllowed;
  }

  int wronglyRefused() {
    return wronglyRefused;
  }

  /** |believed - real| / real, the mean over all requests; NaN without any. */
  double meanDifference() {
    return differenceSum / requests;
  }

  /** (believed - real) / real, the mean over all requests: negative if it believes in too few. */
  double meanSigned() {
    return signedSum / requests;
  }

  /**
   * Plays the whole trace to a meter that has seen nothing yet. The first windows are played, not
   * tallied: there the traffic starts all at once, in the middle of a window.
   */
  static MeterTally of(Trace trace, Meter meter, int limit, long windowNs) {
    final MeterTally tally = new MeterTally(limit);
    final ExactLog offered = new ExactLog(trace.keyCount(), limit, windowNs);
    final long tallyFromNs = trace.timesNs()[0] + SKIPPED_WINDOWS * windowNs;
    for (int i = 0; i < trace.size(); i++) {
      final int key = trace.keys()[i];
      final long nowNs = trace.timesNs()[i];
      offered.add(key, nowNs);
      final double believed = meter.count(key, nowNs);
      if (nowNs >= tallyFromNs) {
        tally.add(believed, offered.count(key, nowNs));
      }
    }
    return tally;
  }
}
