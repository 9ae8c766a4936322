package dev.weir.proxy.rule;

import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.rule.spec.FieldCondition;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.ValueCondition;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Rules of one host and path by the exact values that they ask of one header or query parameter: a
 * hash table with open addressing, at most half full.
 */
final class ExactIndex {
  private static final PlacedRule[] NO_RULES = {};

  private final KeyPart part;
  private byte[][] values = new byte[16][];
  private PlacedRule[][] rules = new PlacedRule[16][];
  private int count;

  ExactIndex(KeyPart part) {
    this.part = part;
  }

  KeyPart part() {
    return part;
  }

  /** Takes a rule that comes behind those taken before, unless it is for other values too. */
  boolean take(PlacedRule placed) {
    for (FieldCondition field : placed.rule().spec().match().fields()) {
      if (field.part().equals(part) && field.isExact()) {
        for (ValueCondition test : field.tests()) {
          put(test.bytes(), placed);
        }
        return true;
      }
    }
    return false;
  }

  private void put(byte[] value, PlacedRule placed) {
    int slot = slot(new UnsafeBuffer(value), 0, value.length);
    if (values[slot] == null) {
      if (++count * 2 > values.length) {
        grow();
        slot = slot(new UnsafeBuffer(value), 0, value.length);
      }
      values[slot] = value;
      rules[slot] = NO_RULES;
    }
    PlacedRule[] longer = Arrays.copyOf(rules[slot], rules[slot].length + 1);
    longer[longer.length - 1] = placed;
    rules[slot] = longer;
  }

  private void grow() {
    byte[][] oldValues = values;
    PlacedRule[][] oldRules = rules;
    values = new byte[oldValues.length * 2][];
    rules = new PlacedRule[oldValues.length * 2][];
    for (int i = 0; i < oldValues.length; i++) {
      if (oldValues[i] != null) {
        int slot = slot(new UnsafeBuffer(oldValues[i]), 0, oldValues[i].length);
        values[slot] = oldValues[i];
        rules[slot] = oldRules[i];
      }
    }
  }

  /** The slot of a value; that where it would be if it is not here. */
  private int slot(DirectBuffer bytes, int offset, int length) {
    int hash = length;
    for (int i = 0; i < length; i++) {
      hash = hash * 31 + bytes.getByte(offset + i);
    }
    int slot = (hash ^ hash >>> 16) * 0x9E37_79B1 >>> 1 & values.length - 1;
    while (values[slot] != null && !Ascii.equals(bytes, offset, length, values[slot])) {
      slot = slot + 1 & values.length - 1;
    }
    return slot;
  }

  /** The rules for a value, by their places. */
  PlacedRule[] of(DirectBuffer bytes, int offset, int length) {
    PlacedRule[] found = rules[slot(bytes, offset, length)];
    return found == null ? NO_RULES : found;
  }

  /** The most rules that one value has. */
  int mostOfOneValue() {
    int most = 0;
    for (PlacedRule[] ofValue : rules) {
      most = ofValue == null ? most : Math.max(most, ofValue.length);
    }
    return most;
  }
}
