package dev.weir.proxy.envoy.file;

import dev.weir.proxy.control.Faults;
import java.util.List;

/**
 * A node of a file's tree, as it was read.
 *
 * @param value empty if the node matches every value; each {@code *} matches any text.
 * @param limit null if there is none: a descriptor that ends here passes.
 * @param isValueToMetric whether metrics have the value of the request.
 * @param sharesThreshold whether all values that a wildcard matches share one budget.
 * @param children in the order of the file.
 * @param line at which the node begins.
 */
public record DescriptorSpec(
    String key,
    String value,
    DescriptorLimit limit,
    boolean isValueToMetric,
    boolean sharesThreshold,
    List<DescriptorSpec> children,
    int line) {
  /**
   * The most nodes of one level with a text between two stars, as each of them searches the value.
   */
  public static final int MAX_SEARCHING = 16;

  /** The key, and {@code _value} if there is a value. */
  public String compositeKey() {
    return value.isEmpty() ? key : key + "_" + value;
  }

  /** Whether the value contains a star, or the key if there is no value. */
  public boolean isWildcard() {
    return WildcardPattern.isOne(pattern());
  }

  /** Reports the first node of a level beyond {@link #MAX_SEARCHING}. */
  static void checkSearching(List<DescriptorSpec> level, Faults faults) {
    String problem =
        "one too many with text between two * (expected: at most "
            + MAX_SEARCHING
            + " at one level)";
    level.stream()
        .filter(spec -> WildcardPattern.searches(spec.pattern()))
        .skip(MAX_SEARCHING)
        .findFirst()
        .ifPresent(spec -> spec.fault(problem, faults));
  }

  /** Reports a fault of the node. */
  void fault(String problem, Faults faults) {
    faults.add(line, "descriptors", Faults.printable(compositeKey()) + ": " + problem);
  }

  /** The text that may contain stars: the value, or the key if there is no value. */
  public String pattern() {
    return value.isEmpty() ? key : value;
  }
}
