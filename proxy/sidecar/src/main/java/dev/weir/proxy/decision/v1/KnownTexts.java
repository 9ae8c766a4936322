package dev.weir.proxy.decision.v1;

import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/**
 * The texts that calls name again and again, such as rules' ids: each is made from its bytes once,
 * as long as no other takes its place. One per event loop.
 */
final class KnownTexts {
  private static final int SLOTS = 256;

  private final byte[][] bytes = new byte[SLOTS][];
  private final String[] texts = new String[SLOTS];

  /** The text of some bytes in UTF-8. */
  String of(DirectBuffer from, int offset, int length) {
    int hash = length;
    for (int i = 0; i < length; i++) {
      hash = 31 * hash + from.getByte(offset + i);
    }
    int slot = (hash ^ hash >>> 8 ^ hash >>> 16) & SLOTS - 1;
    if (!isIn(slot, from, offset, length)) {
      byte[] copy = new byte[length];
      from.getBytes(offset, copy);
      bytes[slot] = copy;
      texts[slot] = new String(copy, StandardCharsets.UTF_8);
    }
    return texts[slot];
  }

  private boolean isIn(int slot, DirectBuffer from, int offset, int length) {
    byte[] known = bytes[slot];
    if (known == null || known.length != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (known[i] != from.getByte(offset + i)) {
        return false;
      }
    }
    return true;
  }
}
