package dev.weir.proxy.rule.spec;

import dev.weir.proxy.request.IpAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Addresses in any of several ranges: a binary search over disjoint ones, of IPv4 apart, as lists
 * can have many. Immutable; any thread.
 */
public final class CidrSet {
  /** No address. */
  public static final CidrSet EMPTY = of(List.of());

  private static final int LONGS_PER_RANGE = 4;

  private final List<Cidr> cidrs;
  private final V4Ranges v4;

  /** The other ranges, some of which may contain all of IPv4. */
  private final long[] ranges;

  private CidrSet(List<Cidr> cidrs, V4Ranges v4, long[] ranges) {
    this.cidrs = cidrs;
    this.v4 = v4;
    this.ranges = ranges;
  }

  public static CidrSet of(List<Cidr> cidrs) {
    List<Cidr> sorted = cidrs.stream().sorted(CidrSet::compare).toList();
    List<Cidr> disjoint = new ArrayList<>();
    for (Cidr cidr : sorted) {
      IpAddress end = disjoint.isEmpty() ? null : disjoint.get(disjoint.size() - 1).last();
      IpAddress start = cidr.address();
      if (end == null || compare(start.high(), start.low(), end.high(), end.low()) > 0) {
        disjoint.add(cidr);
      }
    }
    V4Ranges v4 = new V4Ranges(disjoint.stream().filter(CidrSet::isV4).toList());
    List<Cidr> others = disjoint.stream().filter(cidr -> !isV4(cidr)).toList();
    long[] ranges = new long[others.size() * LONGS_PER_RANGE];
    for (int i = 0; i < others.size(); i++) {
      ranges[i * LONGS_PER_RANGE] = others.get(i).address().high();
      ranges[i * LONGS_PER_RANGE + 1] = others.get(i).address().low();
      ranges[i * LONGS_PER_RANGE + 2] = others.get(i).last().high();
      ranges[i * LONGS_PER_RANGE + 3] = others.get(i).last().low();
    }
    return new CidrSet(List.copyOf(cidrs), v4, ranges);
  }

  private static boolean isV4(Cidr cidr) {
    return cidr.address().isV4() && cidr.last().isV4();
  }

  /**
   * Orders by start, and by size if the starts are equal, the larger first. Two CIDR ranges are
   * disjoint, or one contains the other.
   */
  private static int compare(Cidr a, Cidr b) {
    int byStart =
        compare(a.address().high(), a.address().low(), b.address().high(), b.address().low());
    return byStart != 0 ? byStart : Integer.compare(a.prefixLength(), b.prefixLength());
  }

  private static int compare(long highA, long lowA, long highB, long lowB) {
    int byHigh = Long.compareUnsigned(highA, highB);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(lowA, lowB);
  }

  /** Whether one of the ranges contains the address. */
  public boolean contains(long high, long low) {
    if (high == 0 && low >>> 32 == 0xFFFF && v4.contains((int) low)) {
      return true;
    }
    int least = 0;
    int most = ranges.length / LONGS_PER_RANGE - 1;
    while (least <= most) {
      int middle = (least + most) >>> 1;
      int at = middle * LONGS_PER_RANGE;
      if (compare(high, low, ranges[at], ranges[at + 1]) < 0) {
        most = middle - 1;
      } else if (compare(high, low, ranges[at + 2], ranges[at + 3]) > 0) {
        least = middle + 1;
      } else {
        return true;
      }
    }
    return false;
  }

  public boolean isEmpty() {
    return v4.isEmpty() && ranges.length == 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CidrSet that && cidrs.equals(that.cidrs);
  }

  @Override
  public int hashCode() {
    return cidrs.hashCode();
  }

  /** The ranges as they were given. */
  @Override
  public String toString() {
    return cidrs.toString();
  }
}
