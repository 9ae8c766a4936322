package dev.weir.proxy.envoy;

import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/** A node of a domain's tree, compiled. Immutable; any thread. */
final class DescriptorNode {
  private final DescriptorSpec spec;
  private final byte[] key;
  private final byte[] value;

  /** What a wildcard's values begin with; of a key that is one, what keys do; else null. */
  private final byte[] prefix;

  private final NodeLimit limit;
  private final DescriptorLevel children;

  /**
   * @param limit null if there is none.
   */
  DescriptorNode(DescriptorSpec spec, NodeLimit limit, DescriptorLevel children) {
    this.spec = spec;
    this.key = spec.key().getBytes(StandardCharsets.UTF_8);
    this.value = spec.value().getBytes(StandardCharsets.UTF_8);
    this.prefix = spec.isWildcard() ? prefix(spec) : null;
    this.limit = limit;
    this.children = children;
  }

  private static byte[] prefix(DescriptorSpec spec) {
    String pattern = spec.value().isEmpty() ? spec.key() : spec.value();
    return pattern.substring(0, pattern.length() - 1).getBytes(StandardCharsets.UTF_8);
  }

  byte[] key() {
    return key;
  }

  /** Of the file; empty if it stands for every value. */
  byte[] value() {
    return value;
  }

  /** What is limited; null if nothing is. */
  NodeLimit limit() {
    return limit;
  }

  DescriptorLevel children() {
    return children;
  }

  /** Whether all values that it matches have one budget: that of the value in the file. */
  boolean sharesThreshold() {
    return spec.sharesThreshold();
  }

  DescriptorSpec spec() {
    return spec;
  }

  /** Whether it is the node of a key and value as they are written in the file. */
  boolean isExactly(DirectBuffer bytes, int keyAt, int keyLength, int valueAt, int valueLength) {
    return keyLength == key.length
        && valueLength == value.length
        && equal(key, bytes, keyAt, keyLength)
        && equal(value, bytes, valueAt, valueLength);
  }

  /** Whether it is a wildcard that stands for them. */
  boolean matches(DirectBuffer bytes, int keyAt, int keyLength, int valueAt, int valueLength) {
    if (value.length > 0) {
      return keyLength == key.length
          && valueLength >= prefix.length
          && equal(key, bytes, keyAt, keyLength)
          && equal(prefix, bytes, valueAt, prefix.length);
    }
    return keyLength >= prefix.length && equal(prefix, bytes, keyAt, prefix.length);
  }

  private static boolean equal(byte[] ours, DirectBuffer bytes, int at, int length) {
    for (int i = 0; i < length; i++) {
      if (bytes.getByte(at + i) != ours[i]) {
        return false;
      }
    }
    return true;
  }
}
