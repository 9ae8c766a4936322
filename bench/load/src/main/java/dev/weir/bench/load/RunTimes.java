package dev.weir.bench.load;

/**
 * When a run begins, is measured and ends; of {@link System#nanoTime}. The end may be brought
 * forward by any thread.
 */
final class RunTimes {
  /** When the warm-up begins. */
  final long startNs;

  final long measuredFromNs;
  private final long plannedEndNs;
  private volatile long endNs;

  RunTimes(long startNs, long warmUpNs, long durationNs) {
    this.startNs = startNs;
    this.measuredFromNs = startNs + warmUpNs;
    this.plannedEndNs = measuredFromNs + durationNs;
    this.endNs = plannedEndNs;
  }

  /** When no more requests are due. */
  long endNs() {
    return endNs;
  }

  void stop() {
    endNs = Math.min(endNs, System.nanoTime());
  }

  boolean stoppedEarly() {
    return endNs < plannedEndNs;
  }
}
