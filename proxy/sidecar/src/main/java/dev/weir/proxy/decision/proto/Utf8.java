package dev.weir.proxy.decision.proto;

import org.agrona.DirectBuffer;

/** Whether bytes are text in UTF-8 (RFC 3629). */
public final class Utf8 {
  private static final long HIGH_BITS = 0x8080808080808080L;

  private Utf8() {}

  /** Whether that many bytes are characters, none of them cut. */
  public static boolean isValid(DirectBuffer bytes, int offset, int length) {
    int at = offset;
    final int end = offset + length;
    while (end - at >= Long.BYTES && (bytes.getLong(at) & HIGH_BITS) == 0) {
      at += Long.BYTES;
    }
    while (at < end) {
      final int first = bytes.getByte(at) & 0xff;
      if (first < 0x80) {
        at++;
        continue;
      }
      final int more = more(first);
      if (more < 0 || more >= end - at || !follows(bytes, at, first, more)) {
        return false;
      }
      at += 1 + more;
    }
    return true;
  }

  /** How many bytes follow the first of several of a character; negative if none begins so. */
  private static int more(int first) {
    if (first < 0xc2 || first > 0xf4) {
      return -1;
    }
    return first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  }

  private static boolean follows(DirectBuffer bytes, int at, int first, int more) {
    for (int i = 1; i <= more; i++) {
      if ((bytes.getByte(at + i) & 0xc0) != 0x80) {
        return false;
      }
    }
    final int second = bytes.getByte(at + 1) & 0xff;
    return switch (first) {
      case 0xe0 -> second >= 0xa0;
      case 0xed -> second < 0xa0; // no surrogates
      case 0xf0 -> second >= 0x90;
      case 0xf4 -> second < 0x90;
      default -> true;
    };
  }
}
