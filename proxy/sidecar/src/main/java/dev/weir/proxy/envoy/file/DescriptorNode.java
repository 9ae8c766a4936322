package dev.weir.proxy.envoy.file;

import dev.weir.proxy.request.Ascii;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/** A node of a domain's tree of descriptors, compiled. Immutable; any thread. */
public final class DescriptorNode {
  private final DescriptorSpec spec;
  private final byte[] key;
  private final byte[] value;

  /**
   * The pattern of a wildcard's values, or of its keys if it has no value; null for other nodes.
   */
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

  /** The value in the file; empty if the node matches every value. */
  public byte[] value() {
    return value;
  }

  /** The limit; null if there is none. */
  public NodeLimit limit() {
    return limit;
  }

  public DescriptorLevel children() {
    return children;
  }

  /** Whether all values that the wildcard matches share one budget. */
  public boolean sharesThreshold() {
    return spec.sharesThreshold();
  }

  public DescriptorSpec spec() {
    return spec;
  }

  /** Whether the node has that key and value literally. */
  boolean isExactly(DirectBuffer bytes, int keyAt, int keyLength, int valueAt, int valueLength) {
    return Ascii.equals(bytes, keyAt, keyLength, key)
        && Ascii.equals(bytes, valueAt, valueLength, value);
  }

  /** Whether the node is a wildcard that matches that key and value. */
  boolean matches(DirectBuffer bytes, int keyAt, int keyLength, int valueAt, int valueLength) {
    if (value.length == 0) {
      return pattern.matches(bytes, keyAt, keyLength);
    }
    return Ascii.equals(bytes, keyAt, keyLength, key)
        && pattern.matches(bytes, valueAt, valueLength);
  }
}
