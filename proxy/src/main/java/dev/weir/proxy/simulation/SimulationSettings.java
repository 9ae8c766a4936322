package dev.weir.proxy.simulation;

import dev.weir.proxy.rule.LimitSpec;
import dev.weir.proxy.rule.Mode;

/**
 * What a fleet is like, and what happens to it. Times are in nanoseconds.
 *
 * @param mode who decides.
 * @param limit of each key.
 * @param sidecars that share it.
 * @param load requests that come, as a multiple of what the limits of all keys let pass.
 * @param keys with a budget each; the k-th has a share proportional to 1 / k^1.1.
 * @param shards among which the keys are spread.
 * @param lengthNs of simulated time.
 * @param delayNs the median of a round trip to the store.
 * @param slowShare of answers, that take {@link #SLOW_NS} more.
 * @param deadlineNs how long a decision may take.
 * @param lossShare of answers, that never come; the store has decided.
 * @param crashEveryNs from one crash of a sidecar to its next, on average; 0 if none crashes.
 * @param driftPpm by how many millionths a sidecar's clock is fast or slow, at most.
 * @param seed of all random numbers; the same settings give the same figures.
 */
public record SimulationSettings(
    Mode mode,
    LimitSpec limit,
    int sidecars,
    double load,
    int keys,
    int shards,
    long lengthNs,
    long delayNs,
    double slowShare,
    long deadlineNs,
    double lossShare,
    long crashEveryNs,
    int driftPpm,
    long seed) {
  public static final int MAX_SIDECARS = 10_000;
  public static final int MAX_SHARDS = 1_000;

  /** Sidecars times keys: what each knows of each key is kept in memory. */
  public static final int MAX_PAIRS = 1_000_000;

  /** Requests of one run: some minutes. */
  public static final long MAX_REQUESTS = 200_000_000;

  public static final int MAX_DRIFT_PPM = 500_000;

  /** How much longer a slow answer takes. */
  public static final long SLOW_NS = 5_000_000;

  static final double KEY_EXPONENT = 1.1;
  static final double SIDECAR_EXPONENT = 1;

  /** How often other sidecars become the busy ones. */
  static final long MOVE_NS = 2_500_000_000L;

  /** Requests that come in a second, of all keys at all sidecars. */
  public double requestsPerSecond() {
    return new SimulatedLimit(limit).perSecond() * keys * load;
  }

  /** The same in another mode, with another number of sidecars. */
  public SimulationSettings with(Mode otherMode, int otherSidecars) {
    return new SimulationSettings(
        otherMode,
        limit,
        otherSidecars,
        load,
        keys,
        shards,
        lengthNs,
        delayNs,
        slowShare,
        deadlineNs,
        lossShare,
        crashEveryNs,
        driftPpm,
        seed);
  }
}
