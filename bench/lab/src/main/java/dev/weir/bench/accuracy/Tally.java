package dev.weir.bench.accuracy;

/**
 * Decisions of a limiter on a trace, beside two exact logs: its <i>own</i>, fed with what this
 * limiter admitted, and one that ran <i>alone</i> on the same trace. One thread.
 */
final class Tally {
  int requests;

  int refused;

  /** Admitted where a log of what this limiter admitted would have refused. */
  int ownWronglyAllowed;

  /** Refused where a log of what this limiter admitted would have admitted. */
  int ownWronglyRefused;

  /** Admitted where the log that ran alone refused. */
  int aloneWronglyAllowed;

  /** Refused where the log that ran alone admitted. */
  int aloneWronglyRefused;

  /** The most that were admitted to one key within any window, wherever it starts. */
  int worst;

  private long earlySumNs;

  /** The most by which a wrongly allowed request passed sooner than by its own log. */
  long earlyMaxNs;

  /**
   * Enters one request.
   *
   * @param admitted by the limiter.
   * @param waitNs of the own log before this request: 0 if it would admit it.
   * @param alone whether the log that ran alone admitted it.
   */
  void add(boolean admitted, long waitNs, boolean alone) {
    requests++;
    refused += admitted ? 0 : 1;
    if (admitted && waitNs > 0) {
      ownWronglyAllowed++;
      earlySumNs += waitNs;
      earlyMaxNs = Math.max(earlyMaxNs, waitNs);
    } else if (!admitted && waitNs == 0) {
      ownWronglyRefused++;
    }
    if (admitted && !alone) {
      aloneWronglyAllowed++;
    } else if (!admitted && alone) {
      aloneWronglyRefused++;
    }
  }

  /** Enters how many were admitted to one key during the window that ends with an admission. */
  void addWindow(int admitted) {
    worst = Math.max(worst, admitted);
  }

  /** How much sooner than by its own log a wrongly allowed request passed, on average; or 0. */
  double earlyMeanNs() {
    return ownWronglyAllowed == 0 ? 0 : (double) earlySumNs / ownWronglyAllowed;
  }
}
