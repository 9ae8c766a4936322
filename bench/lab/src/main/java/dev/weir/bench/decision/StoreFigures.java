package dev.weir.bench.decision;

/**
 * What calls that a store decides were in one round.
 *
 * @param callUs processor time of who asks the store, per call; NaN where that is not of interest.
 * @param redisUs processor time of the store's main thread per call.
 * @param requests that the store was sent, per call.
 * @param commands that the store carried out, within scripts or not, per call.
 */
record StoreFigures(
    double perSecond, double callUs, double redisUs, double requests, double commands) {
  /** The part of a core that the store's main thread took. */
  double redisPercent() {
    return redisUs * perSecond / 1e4;
  }
}
