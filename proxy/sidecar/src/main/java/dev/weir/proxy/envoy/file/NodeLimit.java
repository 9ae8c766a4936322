package dev.weir.proxy.envoy.file;

import dev.weir.proxy.rule.Rule;
import java.util.List;

/**
 * The limit of a node, compiled. Immutable; any thread.
 *
 * @param charged the limit for admission, with one budget; null if it is unlimited.
 * @param index among all limits of the configuration, from 0.
 * @param names of its metrics: the domain, then the composite key of each level, or {@code other}.
 * @param isNamedByValues whether its metrics have values of requests.
 * @param name in the file, in UTF-8; not to be changed.
 */
public record NodeLimit(
    DescriptorLimit spec,
    Rule charged,
    int index,
    List<String> names,
    boolean isNamedByValues,
    byte[] name) {
  /** The name in metrics for limits without a name of their own there. */
  public static final String OTHER = "other";

  /** Whether this limit replaces another. */
  public boolean replaces(NodeLimit other) {
    for (int i = 0; i < spec.replaces().size(); i++) {
      if (spec.replaces().get(i).equals(other.spec.name())) {
        return true;
      }
    }
    return false;
  }
}
