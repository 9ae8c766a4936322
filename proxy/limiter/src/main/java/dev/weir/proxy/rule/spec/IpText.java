package dev.weir.proxy.rule.spec;

import dev.weir.proxy.request.IpAddress;
import org.agrona.DirectBuffer;

/**
 * Parses addresses strictly, so that this and other parsers read the same. Dotted decimal has four
 * parts without leading zeros; IPv6 is RFC 4291, section 2.2, without a zone. One per event loop;
 * allocates nothing.
 */
public final class IpText {
  private static final long V4_MAPPED_PREFIX = 0xFFFF_0000_0000L;
  private static final int MAX_V6_TEXT_LENGTH = 45;

  private long high;
  private long low;

  /** The address's upper half; IPv4 in its mapped form. */
  public long high() {
    return high;
  }

  public long low() {
    return low;
  }

  /** An address without port or brackets. */
  public boolean parseAddress(DirectBuffer bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes.getByte(i) == ':') {
        return parseV6(bytes, from, to);
      }
    }
    return parseV4(bytes, from, to);
  }

  /** An address as proxies write it: {@code 192.0.2.7}, with {@code :port}, {@code [v6]:port}. */
  public boolean parseNode(DirectBuffer bytes, int from, int to) {
    if (from < to && bytes.getByte(from) == '[') {
      int close = indexOf(bytes, ']', from, to);
      return close >= 0 && isPortOrNothing(bytes, close + 1, to) && parseV6(bytes, from + 1, close);
    }
    int colon = indexOf(bytes, ':', from, to);
    if (colon < 0) {
      return parseV4(bytes, from, to);
    }
    if (indexOf(bytes, ':', colon + 1, to) >= 0) {
      return parseV6(bytes, from, to);
    }
    return isPortOrNothing(bytes, colon, to) && parseV4(bytes, from, colon);
  }

  private static int indexOf(DirectBuffer bytes, char wanted, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes.getByte(i) == wanted) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Whether the bytes are empty, or a colon and 1 to 5 digits. The port's value does not matter.
   */
  private static boolean isPortOrNothing(DirectBuffer bytes, int from, int to) {
    if (from == to) {
      return true;
    }
    int digits = to - from - 1;
    if (bytes.getByte(from) != ':' || digits < 1 || digits > 5) {
      return false;
    }
    for (int i = from + 1; i < to; i++) {
      if (bytes.getByte(i) < '0' || bytes.getByte(i) > '9') {
        return false;
      }
    }
    return true;
  }

  private boolean parseV4(DirectBuffer bytes, int from, int to) {
    long octets = octets(bytes, from, to);
    high = 0;
    low = V4_MAPPED_PREFIX | octets;
    return octets >= 0;
  }

  /** The four octets, the first one highest; -1 if the bytes are not dotted decimal. */
  private static long octets(DirectBuffer bytes, int from, int to) {
    long octets = 0;
    int at = from;
    for (int part = 0; part < 4; part++) {
      if (part > 0 && (at >= to || bytes.getByte(at++) != '.')) {
        return -1;
      }
      int start = at;
      int value = 0;
      while (at < to && at - start < 4 && bytes.getByte(at) >= '0' && bytes.getByte(at) <= '9') {
        value = value * 10 + bytes.getByte(at++) - '0';
      }
      int digits = at - start;
      if (digits == 0 || value > 255 || digits > 1 && bytes.getByte(start) == '0') {
        return -1;
      }
      octets = octets << 8 | value;
    }
    return at == to ? octets : -1;
  }

  /** An address of IPv6 without port or brackets. */
  public boolean parseV6(DirectBuffer bytes, int from, int to) {
    high = 0;
    low = 0;
    if (to - from < 2 || to - from > MAX_V6_TEXT_LENGTH) {
      return false;
    }
    int groups = 0;
    int gap = -1; // the number of groups before "::"
    int at = from;
    if (bytes.getByte(at) == ':') {
      if (bytes.getByte(at + 1) != ':') {
        return false;
      }
      gap = 0;
      at += 2;
    }
    while (at < to) {
      int end = at;
      while (end < to && end - at < 5 && hex(bytes.getByte(end)) >= 0) {
        end++;
      }
      if (end < to && bytes.getByte(end) == '.') {
        long octets = octets(bytes, at, to);
        if (octets < 0 || groups > 6) {
          return false;
        }
        push((int) (octets >>> 16));
        push((int) octets & 0xFFFF);
        groups += 2;
        break;
      }
      if (end == at || end - at > 4 || groups == 8) {
        return false;
      }
      int group = 0;
      for (int i = at; i < end; i++) {
        group = group << 4 | hex(bytes.getByte(i));
      }
      push(group);
      groups++;
      at = end;
      if (at == to) {
        break;
      }
      if (bytes.getByte(at++) != ':' || at == to) {
        return false;
      }
      if (bytes.getByte(at) == ':') {
        if (gap >= 0) {
          return false;
        }
        gap = groups;
        at++;
      }
    }
    if (gap < 0) {
      return groups == 8;
    }
    if (groups > 7) {
      return false;
    }
    widenGap(gap, groups);
    return true;
  }

  private void push(int group) {
    high = high << 16 | low >>> 48;
    low = low << 16 | group;
  }

  /** Moves the first {@code gap} of {@code groups} groups to the front. */
  private void widenGap(int gap, int groups) {
    long highBefore = 0;
    long lowBefore = 0;
    for (int i = 0; i < gap; i++) {
      long group = group(groups - 1 - i);
      if (i < 4) {
        highBefore |= group << 48 - 16 * i;
      } else {
        lowBefore |= group << 48 - 16 * (i - 4);
      }
    }
    int after = (groups - gap) * 16;
    high = highBefore | high & ~IpAddress.maskHigh(128 - after);
    low = lowBefore | low & ~IpAddress.maskLow(128 - after);
  }

  /** The group that is {@code fromLast} places before the last one read. */
  private long group(int fromLast) {
    long half = fromLast < 4 ? low : high;
    return half >>> 16 * (fromLast & 3) & 0xFFFF;
  }

  private static int hex(byte b) {
    if (b >= '0' && b <= '9') {
      return b - '0';
    }
    int letter = b | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
  }
}
