package dev.weir.proxy.envoy.call;

import dev.weir.proxy.envoy.file.DescriptorNode;
import dev.weir.proxy.rule.identity.KeyHasher;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

/**
 * Whose budget a descriptor charges: its domain, keys and values, each with its length before it,
 * so that no two descriptors have the same bytes. Where a wildcard's threshold is shared, its
 * pattern stands for the value. One per event loop; allocates nothing once its memory is large
 * enough.
 */
final class DescriptorIdentity {
  /** Set in the length of a pattern that stands for all values that it matches. */
  private static final int SHARED = 1 << 31;

  private final KeyHasher hasher;
  private final ExpandableArrayBuffer bytes = new ExpandableArrayBuffer(1024);
  private int domainEnd;
  private int length;

  DescriptorIdentity(KeyHasher hasher) {
    this.hasher = hasher;
  }

  /** Begins with the domain, which all descriptors of a call have. */
  void domain(RateLimitCall call) {
    domainEnd = put(0, call.bytes(), call.domainAt(), call.domainLength());
  }

  /**
   * Sets the descriptor.
   *
   * @param match the nodes that its entries have matched; none if it brings its limit along.
   */
  void set(RateLimitCall call, int descriptor, DescriptorMatch match) {
    int at = domainEnd;
    int first = call.firstEntry(descriptor);
    for (int i = 0; i < call.entryCount(descriptor); i++) {
      int entry = first + i;
      at = put(at, call.bytes(), call.keyAt(entry), call.keyLength(entry));
      DescriptorNode node = i < match.depth() ? match.node(i) : null;
      if (node != null && node.sharesThreshold()) {
        byte[] pattern = node.value();
        bytes.putInt(at, pattern.length | SHARED, ByteOrder.BIG_ENDIAN);
        bytes.putBytes(at + Integer.BYTES, pattern);
        at += Integer.BYTES + pattern.length;
      } else {
        at = put(at, call.bytes(), call.valueAt(entry), call.valueLength(entry));
      }
    }
    length = at;
  }

  private int put(int at, DirectBuffer from, int offset, int count) {
    bytes.putInt(at, count, ByteOrder.BIG_ENDIAN);
    bytes.putBytes(at + Integer.BYTES, from, offset, count);
    return at + Integer.BYTES + count;
  }

  /** The hash under this process's secret key. */
  long hash() {
    return hasher.hash(bytes, 0, length);
  }

  DirectBuffer bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  /** How many bytes a text has whose length stands there. */
  int textLength(int at) {
    return bytes.getInt(at, ByteOrder.BIG_ENDIAN) & ~SHARED;
  }

  /** Whether the text whose length stands there is the pattern of many values. */
  boolean isShared(int at) {
    return (bytes.getInt(at, ByteOrder.BIG_ENDIAN) & SHARED) != 0;
  }
}
