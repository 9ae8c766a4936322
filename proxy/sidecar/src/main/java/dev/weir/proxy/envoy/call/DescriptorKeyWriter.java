package dev.weir.proxy.envoy.call;

import dev.weir.algorithms.SipHash;
import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.envoy.file.LimitUnit;
import dev.weir.proxy.rule.identity.IdentityText;
import dev.weir.proxy.rule.spec.PercentEncoding;
import dev.weir.proxy.store.map.Partitions;
import dev.weir.proxy.store.map.StoreKeys;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Names the budgets of descriptors in the store: {@code
 * rl:{p042}:descriptor:DOMAIN+KEY=VALUE:UNIT}, the same on every sidecar; with the service before
 * the unit, {@code SERVICE:UNIT}, if that is set. Letters, digits and {@code -._~@} stand for
 * themselves, all else is percent-encoded, so that no two descriptors have one name; a pattern
 * whose threshold is shared has {@code *} behind it. A name that would be too long, and any where
 * all are hashed, is a keyed hash.
 *
 * <p>One per event loop.
 */
final class DescriptorKeyWriter {
  private static final byte[] PREFIX = {'r', 'l', ':'};
  private static final byte[] DIMENSION = ":descriptor:".getBytes(StandardCharsets.US_ASCII);
  private static final int TAG_BYTES = Partitions.tag(0).length;

  /** No secret: what depends on it must be the same on every sidecar. */
  private static final SipHash SPREAD = new SipHash(0, 0);

  private final IdentityText text;

  /** By the number of a unit, what stands behind the identity. */
  private final byte[][] ends = new byte[LimitUnit.values().length + 1][];

  DescriptorKeyWriter(StoreNames names) {
    text = names.identityText();
    String service = names.service().isEmpty() ? ":" : ":" + names.service() + ":";
    for (LimitUnit unit : LimitUnit.values()) {
      ends[unit.number()] = (service + unit).getBytes(StandardCharsets.US_ASCII);
    }
  }

  /** Adds the key of a descriptor's budget. */
  void write(DescriptorIdentity identity, LimitUnit unit, StoreKeys keys) {
    MutableDirectBuffer buffer = keys.buffer();
    int start = keys.end();
    buffer.putBytes(start, PREFIX);
    int from = start + PREFIX.length + TAG_BYTES;
    buffer.putBytes(from, DIMENSION);
    int textAt = from + DIMENSION.length;
    int at = text.hashesAll() ? IdentityText.TOO_LONG : writeParts(identity, buffer, textAt);
    if (at == IdentityText.TOO_LONG) {
      at = text.writeHash(identity.bytes(), identity.length(), buffer, textAt);
    }
    int partition = Partitions.of(SPREAD.hash(buffer, from, at - from));
    buffer.putBytes(start + PREFIX.length, Partitions.tag(partition));
    byte[] end = ends[unit.number()];
    buffer.putBytes(at, end);
    int keyEnd = at + end.length;
    keys.add(keyEnd, partition, SPREAD.hash(buffer, start, keyEnd - start), 0);
  }

  private static int writeParts(DescriptorIdentity identity, MutableDirectBuffer target, int to) {
    DirectBuffer bytes = identity.bytes();
    int end = to + IdentityText.MAX_BYTES;
    int out = to;
    char before = 0;
    for (int at = 0; at < identity.length(); ) {
      int length = identity.textLength(at);
      if (before != 0) {
        if (out == end) {
          return IdentityText.TOO_LONG;
        }
        target.putByte(out++, (byte) before);
      }
      out = PercentEncoding.encode(bytes, at + Integer.BYTES, length, target, out, end);
      if (out == IdentityText.TOO_LONG || out == end) {
        return IdentityText.TOO_LONG;
      }
      if (identity.isShared(at)) {
        target.putByte(out++, (byte) '*');
      }
      at += Integer.BYTES + length;
      before = before == '+' ? '=' : '+';
    }
    return out;
  }
}
