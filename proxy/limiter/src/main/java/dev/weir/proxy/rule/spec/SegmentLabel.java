package dev.weir.proxy.rule.spec;

import dev.weir.proxy.request.TargetNormaliser;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;

/**
 * A path segment as the trie compares it: its bytes up to the first {@code ;}, percent-decoded, in
 * lower case if case is ignored. Hashed and compared where it lies, without a copy.
 */
public final class SegmentLabel {
  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long HIGH_BITS = ONES << 7;
  private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

  private SegmentLabel() {}

  /** The first slash at or after {@code from}; {@code end} if there is none. */
  public static int endOfSegment(DirectBuffer bytes, int from, int end) {
    int at = from;
    for (; end - at >= Long.BYTES; at += Long.BYTES) {
      long slashes = equal(bytes.getLong(at, ByteOrder.LITTLE_ENDIAN), '/');
      if (slashes != 0) {
        return at + (Long.numberOfTrailingZeros(slashes) >>> 3);
      }
    }
    while (at < end && bytes.getByte(at) != '/') {
      at++;
    }
    return at;
  }

  /** The hash of a segment's label. Not secret: what it is compared with is the operator's. */
  public static long hash(DirectBuffer bytes, int from, int end, boolean ignoreCase) {
    long hash = 0;
    int at = from;
    for (; end - at >= Long.BYTES; at += Long.BYTES) {
      long word = bytes.getLong(at, ByteOrder.LITTLE_ENDIAN);
      if ((equal(word, '%') | equal(word, ';')) != 0) {
        return hashDecoding(bytes, from, end, ignoreCase);
      }
      hash = mix(hash, ignoreCase ? lowerCase(word) : word);
    }
    long word = tail(bytes, at, end);
    if ((equal(word, '%') | equal(word, ';')) != 0) {
      return hashDecoding(bytes, from, end, ignoreCase);
    }
    if (ignoreCase) {
      word = lowerCase(word);
    }
    return mix(mix(hash, word), end - from);
  }

  /** The fewer than eight bytes from {@code at}, first one lowest; the others are 0. */
  private static long tail(DirectBuffer bytes, int at, int end) {
    if (at == end) {
      return 0;
    }
    if (bytes.capacity() - at >= Long.BYTES) {
      return bytes.getLong(at, ByteOrder.LITTLE_ENDIAN) & -1L >>> (Long.BYTES - (end - at)) * 8;
    }
    long word = 0;
    for (int i = end - 1; i >= at; i--) {
      word = word << 8 | bytes.getByte(i) & 0xFF;
    }
    return word;
  }

  /** The hash of the segments that have this label, which is decoded already. */
  public static long hash(byte[] label) {
    long hash = 0;
    long[] words = words(label);
    for (long word : words) {
      hash = mix(hash, word);
    }
    return mix(hash, label.length);
  }

  /** A label eight bytes at a time, the last word filled up with zeros, or zero. */
  public static long[] words(byte[] label) {
    long[] words = new long[label.length / Long.BYTES + 1];
    for (int i = 0; i < label.length; i++) {
      words[i >> 3] |= (label[i] & 0xFFL) << (i & 7) * 8;
    }
    return words;
  }

  /**
   * Whether the segment is the label byte for byte, which for labels without {@code %} and {@code
   * ;} says that it {@link #matches}, and otherwise nothing.
   */
  public static boolean isVerbatim(
      long[] words, DirectBuffer bytes, int from, int end, boolean ignoreCase) {
    int at = from;
    int last = words.length - 1;
    for (int i = 0; i < last; i++, at += Long.BYTES) {
      long word = bytes.getLong(at, ByteOrder.LITTLE_ENDIAN);
      if ((ignoreCase ? lowerCase(word) : word) != words[i]) {
        return false;
      }
    }
    long word = tail(bytes, at, end);
    return (ignoreCase ? lowerCase(word) : word) == words[last];
  }

  private static long hashDecoding(DirectBuffer bytes, int from, int end, boolean ignoreCase) {
    long hash = 0;
    long word = 0;
    int length = 0;
    for (int at = from; at < end; length++) {
      byte b = bytes.getByte(at);
      if (b == ';') {
        break;
      }
      if (b == '%') {
        b = (byte) TargetNormaliser.octet(bytes.getByte(at + 1), bytes.getByte(at + 2));
        at += 3;
      } else {
        at++;
      }
      word |= ((ignoreCase ? lowerCase(b) : b) & 0xFFL) << (length & 7) * 8;
      if ((length & 7) == 7) {
        hash = mix(hash, word);
        word = 0;
      }
    }
    return mix(mix(hash, word), length);
  }

  /** Whether the segment's label is {@code label}, which is in lower case if case is ignored. */
  public static boolean matches(
      byte[] label, DirectBuffer bytes, int from, int end, boolean ignoreCase) {
    int at = from;
    for (byte wanted : label) {
      if (at >= end) {
        return false;
      }
      byte b = bytes.getByte(at);
      if (b == ';') {
        return false;
      }
      if (b == '%') {
        b = (byte) TargetNormaliser.octet(bytes.getByte(at + 1), bytes.getByte(at + 2));
        at += 3;
      } else {
        at++;
      }
      if ((ignoreCase ? lowerCase(b) : b) != wanted) {
        return false;
      }
    }
    return at >= end || bytes.getByte(at) == ';';
  }

  public static byte lowerCase(byte b) {
    return b >= 'A' && b <= 'Z' ? (byte) (b | 0x20) : b;
  }

  /** The ASCII letters of eight bytes in lower case; other bytes, also above 0x7F, as they are. */
  public static long lowerCase(long word) {
    long low = word & ~HIGH_BITS;
    long fromA = low + ONES * (0x80 - 'A');
    long afterZ = low + ONES * (0x80 - 'Z' - 1);
    long upperCase = fromA & ~afterZ & ~word & HIGH_BITS;
    return word | upperCase >>> 2;
  }

  private static long equal(long word, int c) {
    long difference = word ^ ONES * c;
    return difference - ONES & ~difference & HIGH_BITS;
  }

  private static long mix(long hash, long word) {
    long mixed = (hash ^ word) * MULTIPLIER;
    return mixed ^ mixed >>> 32;
  }
}
