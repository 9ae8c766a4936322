package dev.weir.proxy.admission;

import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.identity.Identity;
import dev.weir.proxy.rule.identity.IdentityText;
import dev.weir.proxy.store.map.Partitions;
import dev.weir.proxy.store.map.StoreKeys;
import java.nio.charset.StandardCharsets;
import org.agrona.MutableDirectBuffer;

/**
 * Names budgets in the store: {@code rl:{p042}:DIMENSION:IDENTITY:RULE}, the same on every sidecar;
 * if the service is set, {@code SERVICE:RULE}; for a rule with several limits, {@code
 * RULE/ALGORITHM-WINDOW}. The partition follows from dimension and identity, so that all budgets of
 * one identity are together. {@link IdentityText} says how an identity is written, and what of it
 * is hashed. A dry-run rule's budgets have {@code ~} after the rule.
 *
 * <p>The algorithm of a single limit is not part of the name, so a rule that changes it keeps what
 * was used. If a reload changes the name, the budget has its former names beside it for a while
 * ({@link Budget#isFormer}).
 *
 * <p>One per event loop.
 */
final class StoreKeyWriter {
  private static final byte[] PREFIX = {'r', 'l', ':'};
  private static final int HEX_DIGITS = 16;
  private static final int TAG_BYTES = Partitions.tag(0).length;

  private final IdentityText text;

  /** The service, between identity and rule. */
  private final byte[] service;

  StoreKeyWriter(StoreNames names) {
    text = names.identityText();
    String between = names.service().isEmpty() ? ":" : ":" + names.service() + ":";
    service = between.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Adds the keys of an identity's budgets; in this process they are found by {@link
   * Budget#storeSeed}.
   */
  void write(BudgetGroup group, Identity identity, StoreKeys keys) {
    MutableDirectBuffer buffer = keys.buffer();
    int start = keys.end();
    buffer.putBytes(start, PREFIX);
    int from = start + PREFIX.length + TAG_BYTES;
    int at = put(buffer, from, (byte) ':');
    buffer.putBytes(at, group.dimension());
    at = put(buffer, at + group.dimension().length, (byte) ':');
    at = text.write(group.key(), identity, buffer, at);
    int partition = Partitions.of(StoreKeys.HASH.hash(buffer, from, at - from));
    buffer.putBytes(start + PREFIX.length, Partitions.tag(partition));
    buffer.putBytes(at, service);
    int nameAt = at + service.length - start;
    for (int i = 0; i < group.size(); i++) {
      Budget budget = group.budget(i);
      byte[] name = budget.storeName();
      int keyStart = keys.end();
      if (i > 0) {
        buffer.putBytes(keyStart, buffer, start, nameAt);
      }
      buffer.putBytes(keyStart + nameAt, name);
      int keyEnd = keyStart + nameAt + name.length;
      long hash = StoreKeys.HASH.hash(buffer, keyStart, keyEnd - keyStart);
      keys.add(keyEnd, partition, hash, identity.hash() ^ budget.storeSeed());
    }
  }

  /**
   * Adds the key of the record of a check that is charged once (idempotency): the name of its first
   * budget up to the rule, {@code !} and 32 hexadecimal digits. It has no limit in it, so a repeat
   * finds it after a reload has renamed the budgets.
   *
   * @param first budget.
   * @param high with {@code low} the hash of the caller's idempotency key.
   */
  void writeRecord(Budget first, long high, long low, StoreKeys keys) {
    MutableDirectBuffer buffer = keys.buffer();
    int start = keys.end();
    int length = keys.length(0) - first.storeName().length + first.ruleNameLength();
    buffer.putBytes(start, buffer, 0, length);
    int at = put(buffer, start + length, (byte) '!');
    at = putHex(buffer, putHex(buffer, at, high), low);
    keys.add(at, keys.partition(0), StoreKeys.HASH.hash(buffer, start, at - start), 0);
  }

  private static int putHex(MutableDirectBuffer buffer, int at, long value) {
    for (int digit = 0; digit < HEX_DIGITS; digit++) {
      int nibble = (int) (value >>> 4 * (HEX_DIGITS - 1 - digit)) & 0xf;
      buffer.putByte(at + digit, (byte) Character.forDigit(nibble, 16));
    }
    return at + HEX_DIGITS;
  }

  private static int put(MutableDirectBuffer buffer, int at, byte b) {
    buffer.putByte(at, b);
    return at + 1;
  }
}
