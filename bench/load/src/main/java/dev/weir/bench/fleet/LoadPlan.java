package dev.weir.bench.fleet;

import java.util.List;

/**
 * Requests of an open loop, evenly spaced.
 *
 * @param rules that are asked, in turn; at least one.
 * @param firstKey the number of the busiest key.
 * @param keys from there on, each with a budget per rule; the k-th busiest has a share of the
 *     requests proportional to 1/k^1.1.
 * @param perSecond of all rules and keys together.
 * @param durationNs how long requests are due for.
 * @param moveNs how often other sidecars become the busy ones.
 */
record LoadPlan(
    List<String> rules, int firstKey, int keys, double perSecond, long durationNs, long moveNs) {
  static final double KEY_EXPONENT = 1.1;

  long count() {
    return Math.round(perSecond * durationNs / 1e9);
  }
}
