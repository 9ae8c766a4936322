package dev.weir.bench.accuracy;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;

/**
 * A meter's belief of every request offered, beside the truth: a request is over the limit if the
 * window that ends with it holds more than the limit. Nothing is refused, so a wrong belief changes
 * no later one. One thread.
 */
final class MeterTally {
  private static final int SKIPPED_WINDOWS = 2;

  private final int limit;
  int requests;
  int wronglyAllowed;
  int wronglyRefused;
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

  /**
   * An algorithm that refuses nothing and only counts: how many requests does it believe the last
   * window held? Its limit is far away, and the count is what its decisions say is current.
   *
   * <p>The algorithms round what is current up to whole units, so a request is several units here.
   */
  static final class Meter implements AutoCloseable {
    /** A length that fits each algorithm at the shortest window here, 1 s. */
    private static final int CAPACITY_UNITS = (1 << 15) - 1;

    private static final int MAX_UNITS_PER_REQUEST = 64;

    private final BudgetTable budgets;
    private final int unitsPerRequest;

    /**
     * @param most requests of one key that a window may hold, from 1 to 2^15 - 1, here or by the
     *     algorithm's belief.
     */
    Meter(Algorithm algorithm, int most, long windowNs, int keyCount) {
      final Limit limit = algorithm.limit(CAPACITY_UNITS, windowNs);
      unitsPerRequest = Math.max(1, Math.min(MAX_UNITS_PER_REQUEST, CAPACITY_UNITS / most));
      budgets = new BudgetTable(limit, keyCount);
    }

    double count(int key, long nowNs) {
      final Decision decision = budgets.check(key, unitsPerRequest, nowNs);
      if (!decision.allowed()) {
        throw new IllegalStateException(
            "key "
                + key
                + ": more than "
                + CAPACITY_UNITS / unitsPerRequest
                + " requests in a window do not fit the meter");
      }
      return (double) decision.current() / unitsPerRequest;
    }

    @Override
    public void close() {
      budgets.close();
    }
  }
}
