package dev.weir.proxy.envoy.file;

import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.Mode;

/**
 * How a limit is counted where its file says so below {@code weir}; what is not said is as
 * envoyproxy/ratelimit counts.
 *
 * @param mode null if not given: then exact if there is a store.
 * @param sparesRefused whether a hit that is refused takes nothing.
 * @param algorithm null if not given, then the fixed window. Any other spares what is refused.
 * @param burst of an algorithm that paces; 0 if not given.
 */
public record LimitOptions(Mode mode, boolean sparesRefused, Algorithm algorithm, long burst) {
  public static final LimitOptions NONE = new LimitOptions(null, false, null, 0);

  /** Whether every hit counts, refused or not: then a budget is a mere count. */
  public boolean countsAll() {
    return !sparesRefused && algorithm == null;
  }
}
