package dev.weir.bench.fleet;

import dev.weir.bench.fleet.FleetLoad.LoadPlan;
import dev.weir.bench.rounds.Rounds;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Mode;
import java.util.List;
import java.util.Locale;

/**
 * A fleet, and the load on it.
 *
 * @param modes that are measured beside each other.
 * @param limit of each key.
 * @param sidecars that share it.
 * @param shards servers of the store.
 * @param load requests that come, as a multiple of what the limits of all keys let pass.
 * @param keys with a budget each.
 * @param deadlineMs for a decision of the store.
 * @param rounds in which modes are interleaved.
 */
record FleetSettings(
    List<Mode> modes,
    LimitSpec limit,
    int sidecars,
    int shards,
    double load,
    int keys,
    long deadlineMs,
    Rounds rounds) {
  /** How often other sidecars become the busy ones. */
  static final long MOVE_NS = 1_500_000_000L;

  /** Requests per second for the keys of one rule. */
  double perSecond() {
    return load * keys * limit.rate().count() * 1e9 / limit.rate().windowNs();
  }

  String limitText() {
    return limit.rate() + " by " + limit.algorithm();
  }

  String secondsText() {
    final double seconds = rounds.seconds();
    return seconds == Math.rint(seconds) ? Long.toString((long) seconds) : "" + seconds;
  }

  /** Rules of these modes that need the store, by name. */
  List<String> storeRules() {
    return modes.stream().filter(Mode::needsStore).map(Mode::toString).toList();
  }

  /** A rule of each mode, named like it. */
  FleetRules rules() {
    final FleetRules rules = new FleetRules(deadlineMs);
    modes.forEach(mode -> rules.add(mode.toString(), mode, limit));
    return rules;
  }

  /** The load on some of those rules, all at once, for the keys from one on. */
  LoadPlan plan(List<String> rules, int firstKey, double seconds) {
    return new LoadPlan(
        rules, firstKey, keys, perSecond() * rules.size(), (long) (seconds * 1e9), MOVE_NS);
  }

  /**
   * The rules of a fleet's sidecars: one for each mode and limit, found by its name in the path.
   */
  static final class FleetRules {
    private final StringBuilder text = new StringBuilder();
    private final long deadlineMs;

    /**
     * @param deadlineMs for a decision of the store.
     */
    FleetRules(long deadlineMs) {
      this.deadlineMs = deadlineMs;
    }

    /** Adds a rule of that name, with the budgets of {@code X-User-Id}; undecided is refused. */
    FleetRules add(String name, Mode mode, LimitSpec limit) {
      text.append(
          String.format(
              Locale.ROOT,
              "  - {id: %s, match: {path: /%s}, key: 'header:x-user-id', algorithm: %s, limit: %s,"
                  + " mode: %s%s%s}\n",
              name,
              name,
              limit.algorithm(),
              limit.rate(),
              mode,
              limit.burst() == 0 ? "" : ", burst: " + limit.burst(),
              mode.needsStore() ? ", on-store-failure: closed" : ""));
      return this;
    }

    /** Settings of a sidecar with these rules, over those stores, but for its addresses. */
    String settings(List<Integer> storePorts) {
      final List<String> nodes =
          storePorts.stream().map(port -> "\"127.0.0.1:" + port + "\"").toList();
      return "service: fleet\nevent-loops: 1\ntrusted-proxies: [127.0.0.1/32]\nredis:\n"
          + (nodes.size() > 1 ? "  topology: sharded\n" : "")
          + "  nodes: "
          + nodes
          + "\n  deadline: "
          + deadlineMs
          + "ms\nrules:\n"
          + text;
    }
  }
}
