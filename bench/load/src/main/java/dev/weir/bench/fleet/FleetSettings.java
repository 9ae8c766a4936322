package dev.weir.bench.fleet;

import dev.weir.bench.rounds.Rounds;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Mode;
import java.util.List;

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
}
