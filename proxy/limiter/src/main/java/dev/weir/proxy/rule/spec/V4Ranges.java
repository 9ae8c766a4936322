package dev.weir.proxy.rule.spec;

import java.util.List;

/**
 * Disjoint ranges of IPv4 addresses: a binary search, among the few that the upper half of an
 * address leaves if there are many. Immutable; any thread.
 */
final class V4Ranges {
  /** The most ranges that are searched without an index, which takes 256 KiB. */
  private static final int MOST_UNINDEXED = 256;

  private static final int UPPER_HALVES = 1 << 16;

  private final int[] starts;
  private final int[] ends;

  /**
   * For each upper half, the first range that ends there or behind it; null without an index. One
   * more at the end.
   */
  private final int[] firsts;

  /**
   * @param cidrs disjoint, in their order.
   */
  V4Ranges(List<Cidr> cidrs) {
    starts = cidrs.stream().mapToInt(cidr -> (int) cidr.address().low()).toArray();
    ends = cidrs.stream().mapToInt(cidr -> (int) cidr.last().low()).toArray();
    firsts = starts.length > MOST_UNINDEXED ? new int[UPPER_HALVES + 1] : null;
    for (int half = 0, range = 0; firsts != null && half <= UPPER_HALVES; half++) {
      while (range < ends.length && ends[range] >>> 16 < half) {
        range++;
      }
      firsts[half] = range;
    }
  }

  /** Whether one of the ranges contains an address. */
  boolean contains(int address) {
    int least = firsts == null ? 0 : firsts[address >>> 16];
    int most =
        Math.min(firsts == null ? starts.length : firsts[(address >>> 16) + 1] + 1, starts.length)
            - 1;
    while (least <= most) {
      int middle = (least + most) >>> 1;
      if (Integer.compareUnsigned(address, starts[middle]) < 0) {
        most = middle - 1;
      } else if (Integer.compareUnsigned(address, ends[middle]) > 0) {
        least = middle + 1;
      } else {
        return true;
      }
    }
    return false;
  }

  boolean isEmpty() {
    return starts.length == 0;
  }
}
