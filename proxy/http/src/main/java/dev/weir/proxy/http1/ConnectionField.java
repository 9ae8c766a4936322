package dev.weir.proxy.http1;

import dev.weir.proxy.request.Ascii;
import org.agrona.DirectBuffer;

/** The options that the Connection fields of a head ask for (RFC 9110, section 7.6.1). */
final class ConnectionField {
  private static final byte[] CLOSE = {'c', 'l', 'o', 's', 'e'};
  private static final byte[] KEEP_ALIVE = {'k', 'e', 'e', 'p', '-', 'a', 'l', 'i', 'v', 'e'};
  private static final byte[] UPGRADE = {'u', 'p', 'g', 'r', 'a', 'd', 'e'};

  /** More names than that in Connection are no use to anyone but an attacker. */
  private static final int MAX_NOMINATED = 16;

  private final int[] nominated = new int[2 * MAX_NOMINATED];
  private int nominatedCount;
  private boolean close;
  private boolean keepAlive;
  private boolean upgrade;

  void reset() {
    nominatedCount = 0;
    close = false;
    keepAlive = false;
    upgrade = false;
  }

  /** Takes a Connection field; false if it is no list of tokens, or too long a one. */
  boolean add(DirectBuffer bytes, int offset, int length) {
    int limit = offset + length;
    int i = offset;
    while (i < limit) {
      byte b = bytes.getByte(i);
      if (b == ',' || Ascii.isBlank(b)) {
        i++;
        continue;
      }
      int start = i;
      while (i < limit && Ascii.isToken(bytes.getByte(i))) {
        i++;
      }
      if (i == start || !addOption(bytes, start, i - start)) {
        return false;
      }
    }
    return true;
  }

  private boolean addOption(DirectBuffer bytes, int offset, int length) {
    if (Ascii.equalsIgnoreCase(bytes, offset, length, CLOSE)) {
      close = true;
    } else if (Ascii.equalsIgnoreCase(bytes, offset, length, KEEP_ALIVE)) {
      keepAlive = true;
    } else if (Ascii.equalsIgnoreCase(bytes, offset, length, UPGRADE)) {
      upgrade = true;
    } else if (nominatedCount == MAX_NOMINATED) {
      return false;
    } else {
      nominated[2 * nominatedCount] = offset;
      nominated[2 * nominatedCount + 1] = length;
      nominatedCount++;
    }
    return true;
  }

  boolean close() {
    return close;
  }

  boolean keepAlive() {
    return keepAlive;
  }

  boolean upgrade() {
    return upgrade;
  }

  boolean nominatesAny() {
    return nominatedCount > 0;
  }

  /** Whether a Connection field names this field, in any case. */
  boolean nominates(DirectBuffer bytes, int nameOffset, int nameLength) {
    for (int n = 0; n < nominatedCount; n++) {
      if (nominated[2 * n + 1] == nameLength
          && sameName(bytes, nominated[2 * n], nameOffset, nameLength)) {
        return true;
      }
    }
    return false;
  }

  private static boolean sameName(DirectBuffer bytes, int a, int b, int length) {
    for (int i = 0; i < length; i++) {
      if (lower(bytes.getByte(a + i)) != lower(bytes.getByte(b + i))) {
        return false;
      }
    }
    return true;
  }

  private static int lower(byte b) {
    return b >= 'A' && b <= 'Z' ? b | 0x20 : b;
  }
}
