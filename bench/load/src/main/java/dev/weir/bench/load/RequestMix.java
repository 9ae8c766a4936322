package dev.weir.bench.load;

import dev.weir.bench.scenario.KeyChoice;

/**
 * The requests of one target, in the order in which they are sent: kinds by their weights, as
 * evenly as possible, and keys as they were chosen. Used by one event loop.
 */
final class RequestMix {
  private final Request[][] requestsByKind;
  private final double[] weights;
  private final double[] credits;
  private final double weightSum;
  private final KeyChoice.Picker keys;

  /**
   * @param requestsByKind of each kind one request per key, or a single one if it takes none.
   */
  RequestMix(Request[][] requestsByKind, double[] weights, KeyChoice.Picker keys) {
    this.requestsByKind = requestsByKind;
    this.weights = weights;
    this.keys = keys;
    credits = new double[weights.length];
    double sum = 0;
    for (double weight : weights) {
      sum += weight;
    }
    weightSum = sum;
  }

  Request next() {
    final Request[] kind = requestsByKind[nextKind()];
    return kind.length == 1 ? kind[0] : kind[keys.next()];
  }

  /** The kind that is furthest behind its part. */
  private int nextKind() {
    if (weights.length == 1) {
      return 0;
    }
    int next = 0;
    for (int i = 0; i < weights.length; i++) {
      credits[i] += weights[i];
      if (credits[i] > credits[next]) {
        next = i;
      }
    }
    credits[next] -= weightSum;
    return next;
  }
}
