package dev.weir.proxy.http2.hpack;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Copies names and values of fields, eight bytes at a time: most are so short that a call of the
 * machine's own copy costs more.
 */
public final class WordCopy {
  /** From this length on the machine's own copy is faster. */
  private static final int LONG_BYTES = 128;

  private WordCopy() {}

  /** Copies bytes that do not overlap where they go. */
  public static void copy(
      DirectBuffer from, int offset, MutableDirectBuffer to, int toOffset, int length) {
    if (length >= LONG_BYTES) {
      to.putBytes(toOffset, from, offset, length);
      return;
    }
    if (length < Long.BYTES) {
      for (int i = 0; i < length; i++) {
        to.putByte(toOffset + i, from.getByte(offset + i));
      }
      return;
    }
    final int last = length - Long.BYTES;
    for (int i = 0; i < last; i += Long.BYTES) {
      to.putLong(toOffset + i, from.getLong(offset + i));
    }
    to.putLong(toOffset + last, from.getLong(offset + last)); // with some of the word before
  }
}
