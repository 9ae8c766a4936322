package dev.weir.bench.simulation;

import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Mode;

/**
 * A fleet, and what happens to it. Times are in nanoseconds.
 *
 * @param mode who decides.
 * @param limit of each key.
 * @param leaseLifeNs the longest life of a unit that is kept; 0 for that of the limit's kind.
 * @param sidecars that share the limit.
 * @param keys with a budget each; the k-th has a share proportional to 1 / k^1.1.
 * @param shards among which the keys are spread.
 * @param lengthNs of simulated time.
 * @param seed of all random numbers; the same settings give the same figures.
 */
record SimulationSettings(
    Mode mode,
    LimitSpec limit,
    long leaseLifeNs,
    int sidecars,
    int keys,
    int shards,
    long lengthNs,
    Traffic traffic,
    Network network,
    Faults faults,
    long seed) {
  static final int MAX_SIDECARS = 10_000;
  static final int MAX_SHARDS = 1_000;

  /** Sidecars times keys: what each knows of each key is kept in memory. */
  static final int MAX_PAIRS = 1_000_000;

  /** Requests of one run: some minutes. */
  static final long MAX_REQUESTS = 200_000_000;

  static final int MAX_DRIFT_PPM = 500_000;

  static final long SLOW_NS = 5_000_000;

  static final double KEY_EXPONENT = 1.1;
  static final double SIDECAR_EXPONENT = 1;

  /** How often other sidecars become the busy ones. */
  static final long MOVE_NS = 2_500_000_000L;

  /**
   * The requests that come.
   *
   * @param load units that they take, as a multiple of what the limits of all keys let pass.
   * @param cost units that each takes.
   * @param onNs how long requests come at a time.
   * @param offNs how long none comes then; 0 if they always do.
   */
  record Traffic(double load, long cost, long onNs, long offNs) {
    /** Such a load of requests that cost 1 and come all the time. */
    static Traffic steady(double load) {
      return new Traffic(load, 1, 1, 0);
    }

    double onShare() {
      return (double) onNs / (onNs + offNs);
    }
  }

  /**
   * The network between the sidecars and the store.
   *
   * @param delayNs the median of a round trip.
   * @param slowShare of answers, that take {@link #SLOW_NS} more.
   * @param deadlineNs how long a decision may take.
   */
  record Network(long delayNs, double slowShare, long deadlineNs) {}

  /**
   * The faults of a run.
   *
   * @param lossShare of answers, that never come; the store has decided.
   * @param crashEveryNs from one crash of a sidecar to its next, on average; 0 if none crashes.
   * @param driftPpm by how many millionths a sidecar's clock is fast or slow, at most.
   * @param lostWritesNs in the middle of the run another server takes over, which has not seen what
   *     was written for so long; negative if none does.
   */
  record Faults(double lossShare, long crashEveryNs, int driftPpm, long lostWritesNs) {
    static final Faults NONE = new Faults(0, 0, 0, -1);

    boolean hasFailover() {
      return lostWritesNs >= 0;
    }
  }

  /** Requests that come in a second, on average, of all keys at all sidecars. */
  double requestsPerSecond() {
    return limited().perSecond() * keys * traffic.load() / traffic.cost();
  }

  SimulatedLimit limited() {
    return new SimulatedLimit(limit, leaseLifeNs);
  }

  /** The same in another mode, with another number of sidecars. */
  SimulationSettings with(Mode otherMode, int otherSidecars) {
    return new SimulationSettings(
        otherMode,
        limit,
        leaseLifeNs,
        otherSidecars,
        keys,
        shards,
        lengthNs,
        traffic,
        network,
        faults,
        seed);
  }
}
