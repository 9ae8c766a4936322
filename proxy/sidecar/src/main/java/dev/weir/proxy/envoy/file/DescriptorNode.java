package dev.weir.proxy.envoy.file;

import dev.weir.proxy.request.Ascii;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/** A node of a domain's tree, compiled. Immutable; any thread. */
public final class DescriptorNode {
  private final DescriptorSpec spec;
  private final byte[] key;
  private final byte[] value;

  /** Which values a wildcard stands for; of a key that is one, which keys; else null. */
  private final WildcardPattern pattern;

  private final NodeLimit limit;
  private final DescriptorLevel children;

  /**
   * @param limit null if there is none.
   */
  DescriptorNode(DescriptorSpec spec, NodeLimit limit, DescriptorLevel children) {
    this.spec = spec;
    this.key = spec.key().getBytes(StandardCharsets.UTF_8);
    this.value = spec.value().getBytes(StandardCharsets.UTF_8);
    this.pattern = spec.isWildcard() ? new WildcardPattern(spec.pattern()) : null;
    this.limit = limit;
    this.children = children;
  }

  byte[] key() {
    return key;
  }

  /** Of the file; empty if it stands for every value. */
  public byte[] value() {
    return value;
  }

  /** What is limited; null if nothing is. */
  public NodeLimit limit() {
    return limit;
  }

  public DescriptorLevel children() {
    return children;
  }

  /** Whether all values that it matches have one budget: that of the value in the file. */
  public boolean sharesThreshold() {
    return spec.sharesThreshold();
  }

  public DescriptorSpec spec() {
    return spec;
  }

  /** Whether it is the node of a key and value as they are written in the file. */
  boolean isExactly(DirectBuffer bytes, int keyAt, int keyLength, int valueAt, int valueLength) {
    return Ascii.equals(bytes, keyAt, keyLength, key)
        && Ascii.equals(bytes, valueAt, valueLength, value);
  }

  /** Whether it is a wildcard that stands for them. */
  boolean matches(DirectBuffer bytes, int keyAt, int keyLength, int valueAt, int valueLength) {
    if (value.length == 0) {
      return pattern.matches(bytes, keyAt, keyLength);
    }
    return Ascii.equals(bytes, keyAt, keyLength, key)
        && pattern.matches(bytes, valueAt, valueLength);
  }
}
