package dev.weir.proxy.metrics;

import org.HdrHistogram.Histogram;

/**
 * One reader's share of {@link Latencies}: what was recorded since it took it last. Each reader has
 * a share of its own, so that none takes what another has not seen. Thread-safe.
 */
public final class LatencyReader {
  private final Latencies latencies;

  /**
   * The times that this reader has not taken, by step. Touched by {@link Latencies} only, under the
   * step's lock.
   */
  private final Histogram[] untaken = new Histogram[LatencyStep.values().length];

  LatencyReader(Latencies latencies) {
    this.latencies = latencies;
    for (int i = 0; i < untaken.length; i++) {
      untaken[i] = LatencyRecorder.emptyHistogram();
    }
  }

  Histogram untaken(LatencyStep step) {
    return untaken[step.ordinal()];
  }

  /** Adds to {@code sum} what was recorded since the last call. */
  void take(LatencyStep step, Histogram sum) {
    latencies.move(this, step, sum);
  }

  /** Adds the same, and leaves it to be taken. */
  void peek(LatencyStep step, Histogram sum) {
    latencies.copy(this, step, sum);
  }
}
