package dev.weir.proxy.api;

import java.util.Map;
import java.util.function.UnaryOperator;

/** Reads for which keys this sidecar is asked and refuses. */
@FunctionalInterface
public interface TopCounts {
  /**
   * Asks each event loop, waits for it, and adds up what they have counted.
   *
   * @param byRefusals whether the keys that are refused most come first, not those asked about.
   * @param rule the only one of which keys are listed; null for all.
   * @param most keys to be listed.
   * @param shown an identity as the caller may see it.
   * @return the members of the answer.
   * @throws ApiProblem 503 if an event loop does not answer.
   */
  Map<String, Object> read(boolean byRefusals, String rule, int most, UnaryOperator<String> shown)
      throws ApiProblem;
}
