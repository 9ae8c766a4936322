package dev.weir.proxy.request;

import java.net.InetAddress;

/**
 * An IP address as 128 bits, IPv4 in its IPv4-mapped IPv6 form ({@code ::ffff:a.b.c.d}), so that
 * one comparison serves both families.
 *
 * @param high the first 64 bits, network order.
 * @param low the last 64 bits, network order.
 */
public record IpAddress(long high, long low) {
  private static final long V4_MAPPED_PREFIX = 0xFFFF_0000_0000L;

  /**
   * {@code 127.0.0.1}, which stands for the peer of a Unix-domain socket, as that has no address.
   */
  public static final IpAddress LOOPBACK = v4(0x7F00_0001);

  /** The IPv4 address whose four octets are {@code octets}, first octet highest. */
  public static IpAddress v4(int octets) {
    return new IpAddress(0, V4_MAPPED_PREFIX | octets & 0xFFFF_FFFFL);
  }

  public static IpAddress of(InetAddress address) {
    byte[] octets = address.getAddress();
    if (octets.length == 4) {
      return v4((int) bigEndian(octets, 0, 4));
    }
    return new IpAddress(bigEndian(octets, 0, 8), bigEndian(octets, 8, 8));
  }

  private static long bigEndian(byte[] octets, int from, int count) {
    long value = 0;
    for (int i = from; i < from + count; i++) {
      value = value << 8 | octets[i] & 0xFF;
    }
    return value;
  }

  /** The upper half of a mask of so many bits, 0 to 128. */
  public static long maskHigh(int bits) {
    return bits == 0 ? 0 : bits >= 64 ? -1 : -1L << 64 - bits;
  }

  /** The lower half of a mask of so many bits, 0 to 128. */
  public static long maskLow(int bits) {
    return bits <= 64 ? 0 : -1L << 128 - bits;
  }

  /** This address with only its first {@code bits} bits, counted in the 128-bit form. */
  public IpAddress network(int bits) {
    return new IpAddress(high & maskHigh(bits), low & maskLow(bits));
  }

  /** The address behind this one; behind the last one comes the first. */
  public IpAddress next() {
    return new IpAddress(low == -1 ? high + 1 : high, low + 1);
  }

  public boolean isV4() {
    return high == 0 && low >>> 32 == 0xFFFF;
  }

  // Written out: what a record has by itself is linked when it is first used, which a start waits
  // for.
  @Override
  public boolean equals(Object other) {
    return other instanceof IpAddress address && high == address.high && low == address.low;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(high) + Long.hashCode(low);
  }

  /** The text form: dotted decimal, or RFC 5952 for IPv6. */
  @Override
  public String toString() {
    return isV4() ? v4Text() : v6Text();
  }

  private String v4Text() {
    int octets = (int) low;
    return (octets >>> 24)
        + "."
        + (octets >>> 16 & 0xFF)
        + "."
        + (octets >>> 8 & 0xFF)
        + "."
        + (octets & 0xFF);
  }

  private String v6Text() {
    int runStart = -1;
    int runLength = 1; // a single zero group is not shortened (RFC 5952, section 4.2.2)
    for (int start = 0; start < 8; start++) {
      int end = start;
      while (end < 8 && group(end) == 0) {
        end++;
      }
      if (end - start > runLength) {
        runStart = start;
        runLength = end - start;
      }
    }
    StringBuilder text = new StringBuilder(39);
    for (int i = 0; i < 8; i++) {
      if (i == runStart) {
        text.append("::");
        i += runLength - 1;
        continue;
      }
      if (i > 0 && i != runStart + runLength) {
        text.append(':');
      }
      text.append(Integer.toHexString(group(i)));
    }
    return text.toString();
  }

  private int group(int index) {
    long half = index < 4 ? high : low;
    return (int) (half >>> 48 - 16 * (index & 3)) & 0xFFFF;
  }
}
