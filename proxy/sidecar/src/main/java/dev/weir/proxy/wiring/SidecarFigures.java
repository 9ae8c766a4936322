package dev.weir.proxy.wiring;

import dev.weir.algorithms.LimitTable;
import dev.weir.algorithms.adaptive.AdaptiveLimit;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.Users;
import dev.weir.proxy.admission.ban.Bans;
import dev.weir.proxy.admission.lease.SharedLeases;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.store.Store;
import dev.weir.proxy.watch.Reloads;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The figures that parts of a sidecar keep themselves, under the names that they are exposed by.
 */
public final class SidecarFigures {
  private final Metrics metrics;

  SidecarFigures(Metrics metrics) {
    this.metrics = metrics;
  }

  void expose(LimitTables tables, Bans bans, BooleanSupplier ready) {
    exposeTable("weir_table", "the limit table", tables.words());
    if (tables.rings() != null) {
      exposeTable("weir_ring_table", "the table of limits with rings", tables.rings());
    }
    metrics.counter(
        "weir_internal_errors",
        "Unexpected errors of Weir, each of which ended a request or other work;"
            + " at most one a second is logged.",
        InternalErrors::count);
    metrics.counter("weir_bans", "Bans that began on this sidecar.", bans::begunCount);
    metrics.counter(
        "weir_bans_forgotten",
        "Bans that were forgotten before their end, as there were too many.",
        bans::forgottenCount);
    metrics.counter(
        "weir_bans_learned",
        "Bans, and later ends of bans, that other sidecars have told of.",
        bans::learnedCount);
    metrics.counter(
        "weir_bans_untold",
        "Bans that other sidecars were not told of, as too many waited for Redis.",
        bans::untoldCount);
    metrics.gauge("weir_ready", "1 while the sidecar serves.", () -> ready.getAsBoolean() ? 1 : 0);
  }

  /**
   * Exposes whether the files of one kind that are followed are those in use.
   *
   * @param what they hold, as an operator says it.
   */
  void expose(String prefix, String what, Reloads reloads) {
    metrics.gauge(
        prefix + "_last_reload_successful",
        "1 if the files of " + what + " that were read last are in use, 0 if they were rejected.",
        () -> reloads.isLastTaken() ? 1 : 0);
    metrics.gauge(
        prefix + "_last_reload_success_timestamp_seconds",
        "When files of " + what + " were last taken into use, in seconds since 1970.",
        reloads::takenSeconds);
  }

  void exposeRules(Reloads reloads) {
    metrics.counters(
        "weir_rules_reloads",
        "Reloads of the file of rules, by outcome.",
        "outcome",
        Map.of("taken", reloads::takenCount, "rejected", reloads::rejectedCount));
    expose("weir_rules", "rules", reloads);
  }

  /** Exposes the limits that find their number. */
  void exposeAdaptive(Supplier<RuleSet> rules) {
    metrics.gauge(
        "weir_adaptive_limit",
        "Requests that may be in flight now, under all limits that find their number.",
        () -> adaptive(rules.get()));
  }

  private static long adaptive(RuleSet rules) {
    long sum = 0;
    for (Rule rule : rules.rules()) {
      for (Budget budget : rule.budgets()) {
        AdaptiveLimit limit = budget.limit().adaptive();
        sum += limit == null ? 0 : limit.limit();
      }
    }
    return sum;
  }

  void exposeUsers(Users users) {
    metrics.counter(
        "weir_users_forgotten",
        "Users whose plan was forgotten, as others took their place: it is read again when they come.",
        users::forgottenCount);
    metrics.gauge(
        "weir_plans", "Different plans that users have, or had until lately.", users::planCount);
    metrics.counter(
        "weir_plans_refused",
        "Plans of users' own that were not made, as there were too many: the tier's numbers held.",
        users::plansRefusedCount);
  }

  void exposeLoops(Watchdog watchdog) {
    metrics.gauge(
        "weir_loops_stuck",
        "Event loops that have not turned for 3 s: their clients wait, and /livez is 503.",
        watchdog::stuckCount);
  }

  private void exposeTable(String prefix, String name, LimitTable table) {
    metrics.gauge(prefix + "_slots", "Slots of " + name + ".", table::slotCount);
    metrics.gauge(
        prefix + "_keys",
        "Slots of " + name + " that hold a budget in debt.",
        () -> table.occupancy(new LoopClock().nowNs()));
    metrics.counter(prefix + "_inserted", "Keys that entered " + name + ".", table::insertedCount);
    metrics.counter(
        prefix + "_reclaimed", "Slots of " + name + " used again.", table::reclaimedCount);
    metrics.counter(
        prefix + "_evicted",
        "Keys of " + name + " that gave way to another when it was full; each regained a request.",
        table::evictedCount);
    metrics.counter(
        prefix + "_overflowed",
        "Decisions on the shared budget of keys for which there was no room in " + name + ".",
        table::overflowCount);
    metrics.counter(
        prefix + "_contended",
        "Decisions refused over contention in " + name + ".",
        table::contendedCount);
  }

  void expose(Store store, SharedLeases leases) {
    metrics.exposeStore();
    metrics.gauge(
        "weir_store_connections_deciding",
        "Connections to Redis that are open, with their circuit breaker closed.",
        () -> store.count(true));
    metrics.gauge(
        "weir_store_connections_failing",
        "Connections to Redis that are not open, or whose circuit breaker is open.",
        () -> store.count(false));
    metrics.gauge(
        "weir_store_lease_units_held",
        "Units of budgets in the store that are kept here now. The sum over the fleet is how much"
            + " earlier than the limit a request may be refused.",
        leases.table()::heldUnits);
    metrics.gauge(
        "weir_store_lease_hands",
        "Places for leases, each of one key of mode leased.",
        leases.table()::count);
    metrics.gauge(
        "weir_store_lease_hands_used",
        "Keys that have a place for leases now, with units or without.",
        leases.table()::keyCount);
    metrics.gauge("weir_store_servers", "Redis servers of the store.", store::serverCount);
    metrics.gauge(
        "weir_store_peers", "Sidecars that share the store, as last counted.", store::peerCount);
  }
}
