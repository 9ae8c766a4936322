package dev.weir.proxy.envoy.file;

import dev.weir.proxy.control.Faults;
import java.util.List;

/**
 * A node of a file's tree, as it was read.
 *
 * @param value empty if the node stands for every value; each {@code *} stands for any text.
 * @param limit null if there is none: then all that ends here passes.
 * @param isValueToMetric whether figures go by the value that a request has.
 * @param sharesThreshold whether all values that a wildcard matches have one budget.
 * @param children in the order of the file.
 * @param line of the file that the node begins at.
 */
public record DescriptorSpec(
    String key,
    String value,
    DescriptorLimit limit,
    boolean isValueToMetric,
    boolean sharesThreshold,
    List<DescriptorSpec> children,
    int line) {
  /** The most nodes of one level that search in a value: each reads each byte of it. */
  public static final int MAX_SEARCHING = 16;

  /** The key, and {@code _value} where there is a value. */
  public String compositeKey() {
    return value.isEmpty() ? key : key + "_" + value;
  }

  /** Whether it stands for values, or without a value for keys, of which it says parts only. */
  public boolean isWildcard() {
    return WildcardPattern.isOne(pattern());
  }

  /** Notes the node of a level that is one too many of those that search. */
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

  /** Notes what is wrong with the node among others. */
  void fault(String problem, Faults faults) {
    faults.add(line, "descriptors", Faults.printable(compositeKey()) + ": " + problem);
  }

  /** What may have stars: the value, and without one the key. */
  public String pattern() {
    return value.isEmpty() ? key : value;
  }
}
