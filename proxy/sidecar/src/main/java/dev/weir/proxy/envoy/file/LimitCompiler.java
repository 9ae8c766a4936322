package dev.weir.proxy.envoy.file;

import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec.FaultSink;

/**
 * Turns limits of files into those that are charged.
 *
 * @param hasStore whether there is a store: then limits are exact unless they say otherwise.
 * @param ringCells how long the rings are that this node's tables have; 0 for none.
 * @param unixEpochNs the Unix epoch on the clock of the checks.
 */
public record LimitCompiler(boolean hasStore, int ringCells, long unixEpochNs) {
  /** Who decides on a limit. */
  public Mode mode(LimitOptions options) {
    return options.mode() != null ? options.mode() : hasStore ? Mode.EXACT : Mode.LOCAL;
  }

  /** The limit as a rule would have it; of 1 or more per unit. */
  public static LimitSpec spec(LimitUnit unit, long requestsPerUnit, LimitOptions options) {
    Algorithm algorithm =
        options.algorithm() == null ? Algorithm.FIXED_WINDOW : options.algorithm();
    Rate rate = Rate.parse(requestsPerUnit + "/" + unit.window());
    return new LimitSpec(algorithm, rate, options.burst(), null, 0, null, null, 0);
  }

  /** Reports what of a limit cannot be, where it is charged, and for which it is checked. */
  public void check(DescriptorLimit limit, FaultSink sink) {
    LimitOptions options = limit.options();
    Mode mode = mode(options);
    if (mode == Mode.EXACT && !hasStore) {
      sink.fault("mode", new BadValueException("exact", "local, as there is no store"));
      return;
    }
    if (options.burst() != 0 && options.algorithm() == null) {
      String expected = "nothing, as there is no algorithm that paces";
      sink.fault("burst", new BadValueException(Long.toString(options.burst()), expected));
      return;
    }
    if (options.countsAll()) {
      return; // a count has no bounds of its own
    }
    LimitSpec spec = spec(limit.unit(), limit.requestsPerUnit(), options);
    int[] faults = {0};
    FaultSink counting =
        (field, bad) -> {
          faults[0]++;
          sink.fault(field, bad);
        };
    spec.check(counting);
    if (faults[0] > 0) {
      return;
    }
    if (mode == Mode.EXACT) {
      spec.checkForStore(mode, sink);
    } else if (spec.cells() > ringCells) {
      String expected = "table.ring-cells of " + spec.cells() + " or more";
      sink.fault("algorithm", new BadValueException(options.algorithm().toString(), expected));
    }
  }
}
