package dev.weir.proxy.envoy.file;

import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.RuleSpec.FaultSink;

/**
 * Compiles limits of files into limits for admission: each is a rule with one limit, which no
 * request is matched with, and whose name in the store is its unit. Immutable; any thread.
 */
final class LimitCompiler {
  /** The version of limits that only count, which share the budgets of their unit. */
  private static final long COUNTS_OF_UNIT = 0;

  private final boolean hasStore;
  private final int ringCells;
  private final long unixEpochNs;

  /** The counting limits by number of unit: on this node, and in the store. */
  private final Rule[] localCounts = new Rule[LimitUnit.values().length + 1];

  private final Rule[] storeCounts = new Rule[localCounts.length];

  /**
   * @param hasStore whether limits are of mode exact by default.
   * @param ringCells length of the rings in this node's tables; 0 for none.
   * @param unixEpochNs the Unix epoch by the clock of the checks.
   */
  LimitCompiler(boolean hasStore, int ringCells, long unixEpochNs) {
    this.hasStore = hasStore;
    this.ringCells = ringCells;
    this.unixEpochNs = unixEpochNs;
    for (LimitUnit unit : LimitUnit.values()) {
      LimitSpec counts = fixedWindow(Rate.unbounded(unit.windowNs()));
      localCounts[unit.number()] = compile(ruleSpec(unit, counts, Mode.LOCAL), 0, null);
      storeCounts[unit.number()] = compile(ruleSpec(unit, counts, Mode.EXACT), 0, null);
    }
  }

  private static LimitSpec fixedWindow(Rate rate) {
    return new LimitSpec(Algorithm.FIXED_WINDOW, rate, 0, null, 0, null, null, 0);
  }

  private static RuleSpec ruleSpec(LimitUnit unit, LimitSpec limit, Mode mode) {
    return RuleSpec.builder(unit.toString())
        .key(KeySpec.DESCRIPTOR)
        .algorithm(limit.algorithm())
        .rate(limit.rate())
        .burst(limit.burst())
        .mode(mode)
        .onStoreFailure(mode.needsStore() ? OnStoreFailure.CLOSED : null)
        .build();
  }

  private Rule compile(RuleSpec spec, long version, Rule previous) {
    return Rule.alone(spec, version, previous, unixEpochNs);
  }

  /** The mode of a limit. */
  private Mode mode(LimitOptions options) {
    return options.mode() != null ? options.mode() : hasStore ? Mode.EXACT : Mode.LOCAL;
  }

  /** The counting limit of a unit, for limits that calls bring. */
  Rule counts(LimitUnit unit) {
    return counts(unit, hasStore);
  }

  private Rule counts(LimitUnit unit, boolean inStore) {
    return (inStore ? storeCounts : localCounts)[unit.number()];
  }

  /** The counting limit of a limit for which every hit counts. */
  Rule counts(DescriptorLimit limit) {
    return counts(limit.unit(), mode(limit.options()).needsStore());
  }

  /**
   * Compiles a limit that does not only count.
   *
   * @param version different from that of any other limit.
   * @param previous the former limit of the node; null if there was none. Its budgets continue if
   *     the unit stays, and if the store still decides or still does not.
   */
  Rule compile(DescriptorLimit limit, long version, Rule previous) {
    LimitOptions options = limit.options();
    LimitSpec counted = spec(limit.unit(), limit.requestsPerUnit(), options);
    RuleSpec spec = ruleSpec(limit.unit(), counted, mode(options));
    boolean goesOn =
        previous != null
            && previous.id().equals(spec.id())
            && previous.spec().asksStore() == spec.asksStore();
    if (goesOn && previous.spec().equals(spec)) {
      return previous;
    }
    boolean isOfUnit = options.algorithm() == null;
    return compile(spec, isOfUnit ? COUNTS_OF_UNIT : version, goesOn ? previous : null);
  }

  private static LimitSpec spec(LimitUnit unit, long requestsPerUnit, LimitOptions options) {
    Rate rate = Rate.parse(requestsPerUnit + "/" + unit.window());
    return options.algorithm() == null
        ? fixedWindow(rate)
        : new LimitSpec(options.algorithm(), rate, options.burst(), null, 0, null, null, 0);
  }

  /** Reports the faults of a limit. */
  void check(DescriptorLimit limit, FaultSink sink) {
    LimitOptions options = limit.options();
    Mode mode = mode(options);
    if (mode.needsStore() && !hasStore) {
      sink.fault("mode", mode.toString(), "local, as there is no store");
      return;
    }
    if (options.burst() != 0 && options.algorithm() == null) {
      String expected = "nothing, as there is no algorithm that paces";
      sink.fault("burst", Long.toString(options.burst()), expected);
      return;
    }
    if (options.countsAll()) {
      if (mode == Mode.LEASED) {
        String expected = "exact or local, as refused hits count; with refused-hits: spare leased";
        sink.fault("mode", "leased", expected);
      }
      return; // a count has no bounds of its own
    }
    LimitSpec spec = spec(limit.unit(), limit.requestsPerUnit(), options);
    if (!spec.check(sink)) {
      return;
    }
    if (mode.needsStore()) {
      spec.checkForStore(mode, sink);
    } else if (spec.cells() > ringCells) {
      String expected = "table.ring-cells of " + spec.cells() + " or more";
      sink.fault("algorithm", options.algorithm().toString(), expected);
    }
  }
}
