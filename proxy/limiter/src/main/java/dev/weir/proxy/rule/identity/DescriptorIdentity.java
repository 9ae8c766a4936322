package dev.weir.proxy.rule.identity;

import dev.weir.proxy.rule.spec.PercentEncoding;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The identity of one of Envoy's descriptors: its domain, keys and values, each with its length
 * before it, so that no two descriptors have the same bytes. Filled anew for each; allocates
 * nothing once its memory is large enough.
 */
public final class DescriptorIdentity implements Identity, Identities {
  /** Marks the length of a pattern whose values share a budget. */
  private static final int SHARED = 1 << 31;

  private final KeyHasher hasher;
  private final ExpandableArrayBuffer bytes = new ExpandableArrayBuffer(1024);
  private int length;
  private long hash;

  public DescriptorIdentity(KeyHasher hasher) {
    this.hasher = hasher;
  }

  /** Begins with the domain; a key and its value follow for each entry. */
  public DescriptorIdentity domain(DirectBuffer from, int offset, int count) {
    length = 0;
    return text(from, offset, count);
  }

  /** Adds a key or a value. */
  public DescriptorIdentity text(DirectBuffer from, int offset, int count) {
    bytes.putInt(length, count, ByteOrder.BIG_ENDIAN);
    bytes.putBytes(length + Integer.BYTES, from, offset, count);
    length += Integer.BYTES + count;
    return this;
  }

  /** Adds a pattern instead of the value, as all values that match it share a budget. */
  public DescriptorIdentity shared(byte[] pattern) {
    bytes.putInt(length, pattern.length | SHARED, ByteOrder.BIG_ENDIAN);
    bytes.putBytes(length + Integer.BYTES, pattern);
    length += Integer.BYTES + pattern.length;
    return this;
  }

  /** Ends the identity. */
  public DescriptorIdentity end() {
    hash = hasher.hash(bytes, 0, length);
    return this;
  }

  @Override
  public long hash() {
    return hash;
  }

  @Override
  public DirectBuffer bytes() {
    return bytes;
  }

  @Override
  public int length() {
    return length;
  }

  /** Returns this: a descriptor's limit has one group of budgets. */
  @Override
  public Identity of(int group) {
    return this;
  }

  /**
   * Writes the text of such an identity: {@code DOMAIN+KEY=VALUE}, with {@code *} after a shared
   * pattern.
   *
   * @param end of the room for it.
   * @return where it ends, or {@link IdentityText#TOO_LONG}.
   */
  static int writeText(Identity identity, MutableDirectBuffer target, int to, int end) {
    DirectBuffer bytes = identity.bytes();
    int out = to;
    char before = 0;
    for (int at = 0; at < identity.length(); ) {
      int word = bytes.getInt(at, ByteOrder.BIG_ENDIAN);
      int textLength = word & ~SHARED;
      if (before != 0) {
        if (out == end) {
          return IdentityText.TOO_LONG;
        }
        target.putByte(out++, (byte) before);
      }
      out = PercentEncoding.encode(bytes, at + Integer.BYTES, textLength, target, out, end);
      if (out == IdentityText.TOO_LONG || out == end) {
        return IdentityText.TOO_LONG;
      }
      if ((word & SHARED) != 0) {
        target.putByte(out++, (byte) '*');
      }
      at += Integer.BYTES + textLength;
      before = before == '+' ? '=' : '+';
    }
    return out;
  }
}
