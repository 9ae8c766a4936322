package dev.weir.proxy.admission;

import dev.weir.algorithms.SipHash;
import dev.weir.proxy.redis.Partitions;
import dev.weir.proxy.redis.StoreKeys;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.Identity;
import dev.weir.proxy.rule.IdentityText;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.SecretKeySpec;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Names budgets in the store: {@code rl:{p042}:DIMENSION:IDENTITY:RULE}, the same on every sidecar;
 * of a rule with several limits, {@code RULE/ALGORITHM-WINDOW}. The partition follows from
 * dimension and identity, so that all budgets of one identity lie together. An identity whose text
 * is long, or that is not to be read by whoever reads the store, is {@code #} and 32 digits of a
 * keyed hash. A rehearsal's budgets have {@code ~} behind the rule.
 *
 * <p>The algorithm of a single limit is no part of the name: a rule that changes it finds what was
 * consumed before.
 *
 * <p>One per event loop.
 */
final class StoreKeyWriter {
  static final int MAX_TEXT_BYTES = 128;

  private static final byte[] PREFIX = {'r', 'l', ':'};
  private static final int TAG_BYTES = Partitions.tag(0).length;
  private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final int HASH_BYTES = 16;

  /** No secret: what depends on it must be the same on every sidecar. */
  private static final SipHash SPREAD = new SipHash(0, 0);

  private final boolean hashAll;
  private final Mac mac;
  private final byte[] digest;
  private final UnsafeBuffer scratch = new UnsafeBuffer(new byte[0]);

  /**
   * @param hashAll whether even short identities are hashed.
   * @param hashKey the key of that hash; may be empty.
   */
  StoreKeyWriter(boolean hashAll, String hashKey) {
    this.hashAll = hashAll;
    try {
      mac = Mac.getInstance("HmacSHA256");
      // HMAC pads its key with zeros, so one zero is the empty key, which Java does not take.
      byte[] key = hashKey.isEmpty() ? new byte[1] : hashKey.getBytes(StandardCharsets.UTF_8);
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every JDK has HmacSHA256", e);
    }
    digest = new byte[mac.getMacLength()];
  }

  /** Adds the keys of an identity's budgets; in this process they go by {@link Budget#seed}. */
  void write(BudgetGroup group, Identity identity, StoreKeys keys) {
    MutableDirectBuffer buffer = keys.buffer();
    int start = keys.end();
    buffer.putBytes(start, PREFIX);
    int from = start + PREFIX.length + TAG_BYTES;
    int at = put(buffer, from, (byte) ':');
    buffer.putBytes(at, group.dimension());
    at = put(buffer, at + group.dimension().length, (byte) ':');
    int end =
        hashAll
            ? IdentityText.TOO_LONG
            : IdentityText.write(identity, buffer, at, at + MAX_TEXT_BYTES);
    at = end == IdentityText.TOO_LONG ? putHash(identity, buffer, at) : end;
    int partition = Partitions.of(SPREAD.hash(buffer, from, at - from));
    buffer.putBytes(start + PREFIX.length, Partitions.tag(partition));
    int nameAt = put(buffer, at, (byte) ':') - start;
    for (int i = 0; i < group.size(); i++) {
      Budget budget = group.budget(i);
      byte[] name = budget.storeName();
      int keyStart = keys.end();
      if (i > 0) {
        buffer.putBytes(keyStart, buffer, start, nameAt);
      }
      buffer.putBytes(keyStart + nameAt, name);
      int keyEnd = keyStart + nameAt + name.length;
      long hash = SPREAD.hash(buffer, keyStart, keyEnd - keyStart);
      keys.add(keyEnd, partition, hash, identity.hash() ^ budget.seed());
    }
  }

  private static int put(MutableDirectBuffer buffer, int at, byte b) {
    buffer.putByte(at, b);
    return at + 1;
  }

  private int putHash(Identity identity, MutableDirectBuffer buffer, int at) {
    scratch.wrap(identity.bytes(), 0, identity.length());
    mac.update(scratch.byteArray(), scratch.wrapAdjustment(), identity.length());
    try {
      mac.doFinal(digest, 0);
    } catch (ShortBufferException e) {
      throw new AssertionError("it is as long as the MAC says", e);
    }
    int out = put(buffer, at, (byte) '#');
    for (int i = 0; i < HASH_BYTES; i++) {
      out = put(buffer, out, DIGITS[digest[i] >>> 4 & 0xF]);
      out = put(buffer, out, DIGITS[digest[i] & 0xF]);
    }
    return out;
  }
}
