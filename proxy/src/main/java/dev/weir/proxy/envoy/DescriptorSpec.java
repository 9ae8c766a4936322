package dev.weir.proxy.envoy;

import java.util.List;

/**
 * A node of a file's tree, as it was read.
 *
 * @param value empty if the node stands for every value; {@code *} at its end is a wildcard.
 * @param limit null if there is none: then all that ends here passes.
 * @param isValueToMetric whether figures go by the value that a request has.
 * @param sharesThreshold whether all values that a wildcard matches have one budget.
 * @param children in the order of the file.
 * @param line of the file that the node begins at.
 */
record DescriptorSpec(
    String key,
    String value,
    DescriptorLimit limit,
    boolean isValueToMetric,
    boolean sharesThreshold,
    List<DescriptorSpec> children,
    int line) {
  /** The key, and {@code _value} where there is a value. */
  String compositeKey() {
    return value.isEmpty() ? key : key + "_" + value;
  }

  boolean isWildcard() {
    return compositeKey().endsWith("*");
  }
}
