package dev.weir.proxy.decision.v1;

import dev.weir.proxy.request.Ascii;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import org.agrona.DirectBuffer;

/**
 * A cache of texts that calls repeat, such as rules' ids: a String is made of bytes once, unless
 * another has replaced it. One per event loop.
 */
final class KnownTexts {
  private static final int SLOTS = 256;

  private final byte[][] bytes = new byte[SLOTS][];
  private final String[] texts = new String[SLOTS];
  private final UnaryOperator<String> meaning;

  /**
   * @param meaning makes the cached value of a text; what it throws is thrown for that text each
   *     time.
   */
  KnownTexts(UnaryOperator<String> meaning) {
    this.meaning = meaning;
  }

  /** The value for a text in UTF-8. */
  String of(DirectBuffer from, int offset, int length) {
    int hash = length;
    for (int i = 0; i < length; i++) {
      hash = 31 * hash + from.getByte(offset + i);
    }
    int slot = (hash ^ hash >>> 8 ^ hash >>> 16) & SLOTS - 1;
    if (!isIn(slot, from, offset, length)) {
      byte[] copy = new byte[length];
      from.getBytes(offset, copy);
      texts[slot] = meaning.apply(new String(copy, StandardCharsets.UTF_8));
      bytes[slot] = copy;
    }
    return texts[slot];
  }

  private boolean isIn(int slot, DirectBuffer from, int offset, int length) {
    return bytes[slot] != null && Ascii.equals(from, offset, length, bytes[slot]);
  }
}
