package dev.weir.proxy.envoy.file;

import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.Mode;

/**
 * The settings of a limit below {@code weir} in its file; without them it counts as in
 * envoyproxy/ratelimit.
 *
 * @param mode null if not given: then exact if there is a store.
 * @param sparesRefused whether a refused hit is not charged.
 * @param algorithm null if not given, then the fixed window. Any other does not charge refused
 *     hits.
 * @param burst of an algorithm that paces; 0 if not given.
 */
public record LimitOptions(Mode mode, boolean sparesRefused, Algorithm algorithm, long burst) {
  public static final LimitOptions NONE = new LimitOptions(null, false, null, 0);

  /** Whether every hit counts, refused or not, so that the budget only counts. */
  public boolean countsAll() {
    return !sparesRefused && algorithm == null;
  }
}
