package dev.weir.proxy.envoy.file;

import dev.weir.proxy.rule.Rule;
import java.util.List;

/**
 * The limit of a node: what is charged, and what an answer says of it. Immutable; any thread.
 *
 * @param charged the limit as admission charges it, of one budget; null if it is unlimited.
 * @param index its place among all limits of the configuration, from 0.
 * @param names of what it is counted under: the domain, then the composite key of each level, or
 *     {@code other}.
 * @param isNamedByValues whether it is counted under values that requests have.
 * @param name the limit's own, in UTF-8; not to be changed.
 */
public record NodeLimit(
    DescriptorLimit spec,
    Rule charged,
    int index,
    List<String> names,
    boolean isNamedByValues,
    byte[] name) {
  /** What is counted without a name of its own. */
  public static final String OTHER = "other";

  /** Whether a name of a limit is one that this one replaces. */
  public boolean replaces(NodeLimit other) {
    for (int i = 0; i < spec.replaces().size(); i++) {
      if (spec.replaces().get(i).equals(other.spec.name())) {
        return true;
      }
    }
    return false;
  }
}
