package dev.weir.proxy.envoy.call;

import dev.weir.proxy.control.LimitHeaders;
import dev.weir.proxy.envoy.file.LimitUnit;
import dev.weir.proxy.envoy.file.NodeLimit;
import java.util.Arrays;

/**
 * What was decided about one call: of each descriptor, in the order of the call, and of all. Owned
 * by an event loop and reused: valid only during the call that hands it over.
 */
final class RateLimitVerdict {
  /** The units left of what is unlimited. */
  static final long UNLIMITED = 0xFFFF_FFFFL;

  private static final long NS_PER_SECOND = 1_000_000_000;
  private static final int AT_FIRST = 8;

  /** Where a verdict comes from that is none of a limit's. */
  enum Fault {
    /** The store gave no decision on one of the descriptors. */
    STORE,
    /** As many calls wait as can. */
    BUSY
  }

  private Fault fault;
  private boolean isOverLimit;
  private LimitHeaders headers;
  private int count;
  private boolean[] over = new boolean[AT_FIRST];
  private LimitUnit[] units = new LimitUnit[AT_FIRST];
  private long[] requestsPerUnit = new long[AT_FIRST];
  private NodeLimit[] limits = new NodeLimit[AT_FIRST];
  private long[] remaining = new long[AT_FIRST];
  private long[] resetNs = new long[AT_FIRST];

  /** Starts one of so many descriptors, each of which passes without a limit. */
  RateLimitVerdict start(int descriptorCount, LimitHeaders withHeaders) {
    fault = null;
    isOverLimit = false;
    headers = withHeaders;
    if (descriptorCount > over.length) {
      int length = Math.max(descriptorCount, 2 * over.length);
      over = new boolean[length];
      units = new LimitUnit[length];
      requestsPerUnit = new long[length];
      limits = new NodeLimit[length];
      remaining = new long[length];
      resetNs = new long[length];
    }
    count = descriptorCount;
    Arrays.fill(over, 0, count, false);
    Arrays.fill(units, 0, count, null);
    Arrays.fill(limits, 0, count, null);
    Arrays.fill(remaining, 0, count, 0);
    return this;
  }

  /** Whether it has had room for many descriptors. */
  boolean isLarge() {
    return over.length > AT_FIRST;
  }

  /** There is none, for that reason. */
  RateLimitVerdict fail(Fault why) {
    fault = why;
    return this;
  }

  /** A descriptor has no limit, and says so. */
  void unlimited(int descriptor) {
    remaining[descriptor] = UNLIMITED;
  }

  /**
   * A descriptor has a limit.
   *
   * @param of the node's; null if the call brought the limit along.
   */
  void limit(int descriptor, NodeLimit of, LimitUnit unit, long perUnit) {
    limits[descriptor] = of;
    units[descriptor] = unit;
    requestsPerUnit[descriptor] = perUnit;
  }

  /** Whether one descriptor's limit is one that another's replaces. */
  boolean isReplacedBy(int descriptor, int other) {
    return limits[other] != null && limits[other].replaces(limits[descriptor]);
  }

  /** Another descriptor's limit stands for that of this one, which passes without one. */
  void replaced(int descriptor) {
    units[descriptor] = null;
  }

  /** What came of a descriptor with a limit. */
  void status(int descriptor, boolean isOver, long left, long untilResetNs) {
    over[descriptor] = isOver;
    remaining[descriptor] = Math.min(left, UNLIMITED - 1);
    resetNs[descriptor] = untilResetNs;
  }

  void overLimit(boolean isOver) {
    isOverLimit = isOver;
  }

  /** Why there is no verdict; null if there is one. */
  Fault fault() {
    return fault;
  }

  /** Whether the call as a whole is refused. */
  boolean isOverLimit() {
    return isOverLimit;
  }

  /** How many descriptors the call has. */
  int count() {
    return count;
  }

  boolean isOver(int descriptor) {
    return over[descriptor];
  }

  /** The unit of a descriptor's limit; null if it has none. */
  LimitUnit unit(int descriptor) {
    return units[descriptor];
  }

  long requestsPerUnit(int descriptor) {
    return requestsPerUnit[descriptor];
  }

  /** The name of a descriptor's limit; empty if it has none. */
  String name(int descriptor) {
    return limits[descriptor] == null ? "" : limits[descriptor].spec().name();
  }

  /** The limit of a descriptor's node, unless another replaces it; null if it has none. */
  NodeLimit limit(int descriptor) {
    return limits[descriptor];
  }

  /** Units left, 0 or more. */
  long remaining(int descriptor) {
    return remaining[descriptor];
  }

  /** How long it is until a descriptor's limit is whole again. */
  long resetNs(int descriptor) {
    return resetNs[descriptor];
  }

  /** The same in whole seconds, begun ones whole. */
  long resetSeconds(int descriptor) {
    return (resetNs[descriptor] + NS_PER_SECOND - 1) / NS_PER_SECOND;
  }

  /** Which fields are to be added to a response; none if no descriptor has a limit. */
  LimitHeaders headers() {
    return headers;
  }

  /**
   * The descriptor that fields of a response tell of: the last that is over its limit, else the
   * first with the least left; negative if none has a limit.
   */
  int closest() {
    int closest = -1;
    long least = Long.MAX_VALUE;
    for (int i = 0; i < count; i++) {
      if (units[i] != null && (over[i] || remaining[i] < least)) {
        closest = i;
        least = over[i] ? 0 : remaining[i];
      }
    }
    return closest;
  }
}
